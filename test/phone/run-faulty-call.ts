import type { CloseReason, SessionReport } from '../../src/session/index.ts'
import type { TwilioCall, TwilioCallEvent, TwilioCallOptions } from '../../src/testing/servers/index.ts'
import { PhoneRig, type RigOptions } from './phone-rig.ts'
import type { Outcome } from './run-case.ts'
import { within } from './within.ts'

/** A call in which something goes wrong, and how it must end. */
export interface FaultyCall {
  readonly name: string
  readonly rig?: RigOptions
  readonly call?: TwilioCallOptions
  /** Whether the carrier sends no status callbacks. */
  readonly noStatus?: true
  /** What happens at the first event of a type, synchronously. */
  readonly at?: Readonly<Partial<Record<TwilioCallEvent['type'], (rig: PhoneRig, call: TwilioCall) => void>>>
  /** What happens in the call. Default: a whole conversation. */
  readonly run?: (rig: PhoneRig, call: TwilioCall) => Promise<void>
  readonly reasons: readonly CloseReason[]
  /** How many sessions there must be. Default: 1. */
  readonly sessions?: number
  /** Whether the report must say that the carrier confirmed the end of the call. Default: true. */
  readonly confirmed?: boolean
  /** Whether the call takes longer than the others. */
  readonly slow?: true
  /** Checks what else must be true. Returns the problem, if there is one. */
  readonly check?: (rig: PhoneRig, call: TwilioCall) => string | undefined
}

const MAX_CALL = 20_000

/** Runs a faulty call, and checks how it ended. */
export async function runFaultyCall(faulty: FaultyCall): Promise<Outcome> {
  const { confirmed = true } = faulty
  const problems: string[] = []
  const rig = await PhoneRig.open(faulty.rig)
  const call = rig.ring({
    ...(faulty.noStatus ? { statusCallback: `${rig.server.url}/nowhere` } : {}),
    ...faulty.call,
    onEvent: ({ type }, self) => {
      const first = self.events.filter((each) => each.type === type).length === 1
      if (first) faulty.at?.[type]?.(rig, self)
    },
  })
  const running = (faulty.run ?? converse)(rig, call)
  const timeout = faulty.slow ? 4 * MAX_CALL : MAX_CALL
  if (!(await within(timeout, faulty.name, running))) problems.push('the call did not end')
  if (!(await within(MAX_CALL, 'the reports', rig.closed()))) problems.push('there is no report')
  if (
    !call.over &&
    !(await within(
      5_000,
      'the end of the call',
      call.until(() => call.over),
    ))
  )
    problems.push('the call did not end at the carrier')
  problems.push(...problemsOf(faulty, rig, call))
  // A frozen call does not notice the end of its connection.
  call.abort()
  // A carrier that does not answer is asked again for a while, even after the session has closed.
  await within(confirmed ? 2_000 : 15_000, 'the end of all connections', rig.idle())
  const { open: leaked } = rig
  const unreported = Math.abs(rig.sessions.length - rig.reports.length)
  await rig.end()
  return {
    name: faulty.name,
    group: 'something goes wrong',
    leaked,
    unreported,
    problems,
    took: 0,
    story: [],
  }
}

function problemsOf(
  { sessions = 1, reasons, confirmed = true, check }: FaultyCall,
  rig: PhoneRig,
  call: TwilioCall,
): string[] {
  const problems: string[] = []
  if (rig.sessions.length !== sessions)
    problems.push(`there were ${rig.sessions.length} sessions, not ${sessions}`)
  for (const report of rig.reports) {
    if (!reasons.includes(report.reason))
      problems.push(`the reason is ${report.reason}, not ${reasons.join(' or ')}`)
    if (report.took > report.closeTimeout)
      problems.push(`the close took ${report.took} ms of ${report.closeTimeout}`)
    const isConfirmed = !/not confirmed/.test(lineOf(report) ?? 'not confirmed')
    if (isConfirmed !== confirmed)
      problems.push(`the end of the call is ${isConfirmed ? 'confirmed' : 'not confirmed'}`)
    if (!confirmed && report.clean) problems.push('the report is clean although the call may go on')
  }
  const more = check?.(rig, call)
  return more === undefined ? problems : [...problems, more]
}

const lineOf = ({ connections }: SessionReport): string | undefined =>
  connections.find(({ name }) => name === 'phone')?.reason

const converse = (rig: PhoneRig, call: TwilioCall): Promise<void> => rig.converse(call)
