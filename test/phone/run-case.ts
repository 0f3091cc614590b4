import type { ScopeReport, Timer } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import type { TwilioCall } from '../../src/testing/servers/index.ts'
import { clock } from './clock.ts'
import { enders } from './enders.ts'
import type { MindName } from './minds.ts'
import { CLOSE_WITHIN, Stage } from './stage.ts'
import { within } from './within.ts'

/** When a call is ended: at the n-th time that something happens, at the carrier's side or at ours, or at an instant. */
export type Moment = { readonly what: string; readonly nth: number } | { readonly after: number }

export interface Case {
  readonly mind: MindName
  readonly ender: string
  readonly moment: Moment
}

export interface Outcome {
  readonly name: string
  /** The way in which it was ended, or went wrong. */
  readonly group: string
  /** Connections that were left. */
  readonly leaked: number
  /** Sessions without a report, or with more than one. */
  readonly unreported: number
  /** What else was not as it must be. */
  readonly problems: readonly string[]
  /** From the moment to the report; 0 if there was no session. */
  readonly took: number
  /** What happened, in order, as `what` of moments. */
  readonly story: readonly string[]
}

/** A whole call takes about 5 s, and a machine may stand still. */
const LONGEST_CALL = 30_000
/** How long the other sides may take to see an end that we have made. */
const SEEN_WITHIN = 2_000

export function nameOf({ mind, ender, moment }: Case): string {
  const when =
    'after' in moment ? `after ${Math.round(moment.after)} ms` : `at '${moment.what}' ${moment.nth}`
  return `${mind}: ${ender} ${when}`
}

/** Lives a call, ends it at its moment, and counts what is left. Without a case it ends by itself. */
export async function runCase(one: Case | { readonly mind: MindName }): Promise<Outcome> {
  const story: string[] = []
  let pulledAt: number | undefined
  let stage: Stage | undefined
  let call: TwilioCall | undefined
  let ended: readonly SessionReport[] = []
  const pull = (): void => {
    if (pulledAt !== undefined || !('ender' in one)) return
    pulledAt = clock.now()
    ended = [...stage!.reports]
    enders[one.ender]!.pull(stage!, call!)
  }
  const happens = (what: string): void => {
    story.push(what)
    if (!('moment' in one) || 'after' in one.moment || one.moment.what !== what) return
    if (story.filter((each) => each === what).length !== one.moment.nth) return
    pull()
  }
  stage = await Stage.open({ mind: one.mind, onSession: (what) => happens(`session ${what}`) })
  call = stage.ring({ onEvent: ({ type }) => happens(type) })
  const timer = timerOf(one, pull)
  const problems: string[] = []
  const talking = stage.converse(call)
  if (!(await within(LONGEST_CALL, 'the end of a call', call.gone()))) {
    problems.push('the call did not end at the carrier')
    call.abort()
  }
  timer?.clear()
  await talking
  const reported = await within(CLOSE_WITHIN + SEEN_WITHIN, 'the reports of all sessions', stage.closed())
  const took = reported && stage.sessions.length > 0 && pulledAt !== undefined ? clock.now() - pulledAt : 0
  await within(SEEN_WITHIN, 'the end of all connections', stage.idle())
  const { open: leaked, sessions, reports } = stage
  const unreported = Math.abs(sessions.length - reports.length)
  if (sessions.length > 1) problems.push(`one call made ${sessions.length} sessions`)
  const pulled = 'ender' in one && ended.length === 0 ? one.ender : undefined
  problems.push(...reports.flatMap((report) => wrongsOf(report, pulled)))
  const host = await stage.closeHost()
  if (!host.clean) problems.push(`the host did not close cleanly: ${unclean(host).join(', ')}`)
  await stage.end()
  return {
    name: 'ender' in one ? nameOf(one) : `${one.mind}: a whole call`,
    group: 'ender' in one ? one.ender : 'the agent ends a whole call',
    leaked,
    unreported,
    problems,
    took,
    story,
  }
}

function timerOf(one: Case | { readonly mind: MindName }, pull: () => void): Timer | undefined {
  if (!('moment' in one) || !('after' in one.moment)) return undefined
  return clock.after(one.moment.after, 'a moment of a call', pull)
}

/** What must be true of a report, whoever has ended the call: the agent may have begun to, before. */
function wrongsOf(
  { reason, took, closeTimeout, transcript }: SessionReport,
  ender: string | undefined,
): string[] {
  const wrongs: string[] = []
  const reasons = ender === undefined ? ['agent-hung-up'] : [...enders[ender]!.reasons, 'agent-hung-up']
  if (!reasons.includes(reason)) wrongs.push(`the reason is ${reason}, and not ${reasons.join(' or ')}`)
  if (took > closeTimeout) wrongs.push(`the close took ${took} ms of ${closeTimeout}`)
  for (const item of transcript)
    if (item.type === 'tool' && !item.result) wrongs.push(`the call of ${item.name} has no output`)
  return wrongs
}

function unclean({ steps, tasks, children, problems }: ScopeReport): string[] {
  return [
    ...steps.filter(({ outcome }) => outcome !== 'done').map(({ name, outcome }) => `${name} ${outcome}`),
    ...tasks.filter(({ outcome }) => outcome === 'failed' || outcome === 'abandoned').map(({ name }) => name),
    ...problems.map((problem) => JSON.stringify(problem)),
    ...children.flatMap(({ report }) => unclean(report)),
  ]
}
