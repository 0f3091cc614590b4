import type { ScopeReport, Timer } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import type { TwilioCall } from '../../src/testing/servers/index.ts'
import { clock } from './clock.ts'
import { waysToEnd } from './ways-to-end.ts'
import type { ModelsName } from './models.ts'
import { CLOSE_TIMEOUT, PhoneRig } from './phone-rig.ts'
import { within } from './within.ts'

/** When to end a call: at the nth occurrence of an event, at the carrier's side or at ours, or after a time. */
export type Moment = { readonly what: string; readonly nth: number } | { readonly after: number }

export interface Case {
  readonly models: ModelsName
  readonly way: string
  readonly moment: Moment
}

export interface Outcome {
  readonly name: string
  /** The row of the table. */
  readonly group: string
  /** How many connections were left. */
  readonly leaked: number
  /** How many sessions had no report, or more than one. */
  readonly unreported: number
  /** Everything else that was wrong. */
  readonly problems: readonly string[]
  /** Milliseconds from the end of the call to the report. 0 if there was no session. */
  readonly took: number
  /** The events of the call in order, as `what` of a moment. */
  readonly story: readonly string[]
}

/** A whole call takes about 5 s. */
const MAX_CALL = 30_000
/** How long the other sides may take to notice that we have ended a call. */
const NOTICE_TIMEOUT = 2_000

export function nameOf({ models, way, moment }: Case): string {
  const when =
    'after' in moment ? `after ${Math.round(moment.after)} ms` : `at '${moment.what}' ${moment.nth}`
  return `${models}: ${way} ${when}`
}

/** Runs a call, ends it at its moment, and counts what is left. Without a way and a moment, the agent ends the call. */
export async function runCase(one: Case | { readonly models: ModelsName }): Promise<Outcome> {
  const story: string[] = []
  let endedAt: number | undefined
  let rig: PhoneRig | undefined
  let call: TwilioCall | undefined
  let reportsBefore: readonly SessionReport[] = []
  const end = (): void => {
    if (endedAt !== undefined || !('way' in one)) return
    endedAt = clock.now()
    reportsBefore = [...rig!.reports]
    waysToEnd[one.way]!.end(rig!, call!)
  }
  const onEvent = (what: string): void => {
    story.push(what)
    if (!('moment' in one) || 'after' in one.moment || one.moment.what !== what) return
    if (story.filter((each) => each === what).length !== one.moment.nth) return
    end()
  }
  rig = await PhoneRig.open({ models: one.models, onSession: (what) => onEvent(`session ${what}`) })
  call = rig.ring({ onEvent: ({ type }) => onEvent(type) })
  const timer = timerOf(one, end)
  const problems: string[] = []
  const talking = rig.converse(call)
  if (!(await within(MAX_CALL, 'the end of a call', call.gone()))) {
    problems.push('the call did not end at the carrier')
    call.abort()
  }
  timer?.clear()
  await talking
  const reported = await within(CLOSE_TIMEOUT + NOTICE_TIMEOUT, 'the reports of all sessions', rig.closed())
  const took = reported && rig.sessions.length > 0 && endedAt !== undefined ? clock.now() - endedAt : 0
  await within(NOTICE_TIMEOUT, 'the end of all connections', rig.idle())
  const { open: leaked, sessions, reports } = rig
  const unreported = Math.abs(sessions.length - reports.length)
  if (sessions.length > 1) problems.push(`one call made ${sessions.length} sessions`)
  const endedWay = 'way' in one && reportsBefore.length === 0 ? one.way : undefined
  problems.push(...reports.flatMap((report) => problemsOf(report, endedWay)))
  const host = await rig.closeHost()
  if (!host.clean) problems.push(`the host did not close cleanly: ${unclean(host).join(', ')}`)
  await rig.end()
  return {
    name: 'way' in one ? nameOf(one) : `${one.models}: a whole call`,
    group: 'way' in one ? one.way : 'the agent ends a whole call',
    leaked,
    unreported,
    problems,
    took,
    story,
  }
}

function timerOf(one: Case | { readonly models: ModelsName }, end: () => void): Timer | undefined {
  if (!('moment' in one) || !('after' in one.moment)) return undefined
  return clock.after(one.moment.after, 'a moment of a call', end)
}

/** Checks what must be true of every report. Whatever ended the call, the agent may have begun to hang up before. */
function problemsOf(
  { reason, took, closeTimeout, transcript }: SessionReport,
  way: string | undefined,
): string[] {
  const problems: string[] = []
  const reasons = way === undefined ? ['agent-hung-up'] : [...waysToEnd[way]!.reasons, 'agent-hung-up']
  if (!reasons.includes(reason)) problems.push(`the reason is ${reason}, not ${reasons.join(' or ')}`)
  if (took > closeTimeout) problems.push(`the close took ${took} ms of ${closeTimeout}`)
  for (const item of transcript)
    if (item.type === 'tool' && !item.result) problems.push(`the call of ${item.name} has no output`)
  return problems
}

function unclean({ steps, tasks, children, problems }: ScopeReport): string[] {
  return [
    ...steps.filter(({ outcome }) => outcome !== 'done').map(({ name, outcome }) => `${name} ${outcome}`),
    ...tasks.filter(({ outcome }) => outcome === 'failed' || outcome === 'abandoned').map(({ name }) => name),
    ...problems.map((problem) => JSON.stringify(problem)),
    ...children.flatMap(({ report }) => unclean(report)),
  ]
}
