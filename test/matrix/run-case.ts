import type { ScopeReport } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { simulate, type Fault, type World } from '../../src/testing/index.ts'
import { Cast, type CastOptions } from './cast.ts'
import { moments } from './moments.ts'
import { triggers } from './triggers.ts'

export interface Case {
  readonly name: string
  readonly trigger: string
  readonly moment: string
  /** The step that is faulted, and how; none is the healthy case. */
  readonly step?: string
  readonly fault?: Fault
  readonly cast?: CastOptions
  /** The row in which the case stands, if it is not its step and fault. */
  readonly group?: string
  /** What else is done to the cast before it starts. */
  readonly spoil?: (cast: Cast) => void
}

export interface CaseResult {
  readonly case: Case
  /** `unreachable`: the trigger cannot be pulled then, or the faulted step does not run in such a call. */
  readonly outcome: 'passed' | 'failed' | 'unreachable'
  readonly problems: readonly string[]
  /** From the first moment of closing to the report, in virtual milliseconds. */
  readonly tookMs: number
  /** Every step that ran, by name: what could be faulted in such a call. */
  readonly steps: readonly string[]
  readonly story: string
}

/** The longest a graceful end may last here: every tool's own time, the stall and the close, with some air. */
const LONGEST_END = 120_000

/** Lives one case and checks what must be true of every session, whatever was done to it. */
export async function runCase(one: Case): Promise<CaseResult> {
  const problems: string[] = []
  let reached = true
  let tookMs = 0
  let steps: readonly string[] = []
  const life = await simulate(1, async (world) => {
    const cast = new Cast(world, { ...moments[one.moment]!.cast, ...one.cast })
    if (one.step !== undefined && one.fault !== undefined) cast.faults.set(one.step, one.fault)
    one.spoil?.(cast)
    await moments[one.moment]!.arrive(cast)
    const openBefore = cast.session.state
    if (openBefore === 'closing' || openBefore === 'closed') {
      // The fault has ended the session by itself, on the way. It must have ended well all the same.
      await world.clock.elapse(LONGEST_END)
      tookMs = checkEnd(world, cast, one, problems)
      return
    }
    world.tell(`── ${one.trigger} ──`)
    reached = triggers[one.trigger]!.pull(cast)
    if (!reached) cast.session.close().catch(() => {})
    await world.clock.elapse(LONGEST_END)
    tookMs = checkEnd(world, cast, one, problems)
    steps = [...cast.steps]
    if (one.step !== undefined && !cast.faults.fired.includes(one.step)) reached = false
  })
  for (const { rule, what } of life.violations) problems.push(`${rule}: ${what}`)
  const outcome = problems.length > 0 ? 'failed' : reached ? 'passed' : 'unreachable'
  return { case: one, outcome, problems, tookMs, steps, story: life.story }
}

/** What must be true of a session that has ended, whatever was done to it. Returns how long its close took. */
export function checkEnd(
  world: World,
  cast: Cast,
  one: Pick<Case, 'step' | 'fault'>,
  problems: string[],
): number {
  const fail = (what: string): void => void problems.push(what)
  const { closed, closingAt, session } = cast
  if (closed.length !== 1) fail(`CL1: ${closed.length} closed events; the session is ${session.state}`)
  const last = closed.at(-1)
  if (!last || closingAt === undefined) return 0
  const { report, at } = last
  if (at - closingAt > report.closeTimeout + 0.01)
    fail(`CL1: closed ${at - closingAt} ms after closing began`)
  for (const { what, settled } of cast.given) if (!settled) fail(`CL10: ${what} is left hanging`)
  if (cast.line.counts.opened > 0) {
    // What is on its way already, nobody can call back.
    const { latency = 0, avatar } = cast.line.options
    const tail = latency + (avatar?.lag ?? 0)
    const audible = cast.line.audibleAfterClosing
    if (audible > tail + 0.01) fail(`CL9: ${audible} ms were heard after closing began`)
    if (cast.line.playedTooLate.length > 0)
      fail(`CL9: ${cast.line.playedTooLate.length} frames were played too late`)
  }
  for (const part of cast.parts) {
    if (part.counts.live > 0) fail(`SC15: ${part.name} is still open`)
  }
  for (const { name } of world.clock.timers.list()) fail(`SC15: timer '${name}' is left`)
  // A fault of the handler itself stands in its place.
  const faulted = cast.faults.fired.includes('task:afterCall')
  if (report.startedAt !== undefined && !faulted && cast.afterCalls.length !== 1) {
    fail(`CL5: ${cast.afterCalls.length} after-calls`)
  }
  for (const item of report.transcript) {
    if (item.type === 'tool' && !item.result) fail(`TL2: the call of ${item.name} has no output`)
  }
  checkReport(report, one, cast, fail)
  return at - closingAt
}

/** A report must be true: a step that was forced or failed is named in it, and clean means clean. */
function checkReport(
  report: SessionReport,
  one: Pick<Case, 'step' | 'fault'>,
  cast: Cast,
  fail: (what: string) => void,
): void {
  const bad = culprits(report.scope)
  if (report.clean && bad.length > 0) fail(`CL13: called clean, with ${bad.join(', ')}`)
  // A call that was lost is never called clean, however well it was closed (CL2).
  const cut = report.connections.some(({ how }) => how === 'aborted' || how === 'dropped')
  if (report.clean && cut) fail('CL13: called clean, and a connection was cut or lost')
  const explained = bad.length > 0 || cut || report.error !== undefined || anyProblem(report.scope)
  if (!report.clean && !explained && report.reason !== 'caller-lost')
    fail('CL13: not clean, and nobody knows why')
  const { step, fault } = one
  if (step === undefined || fault === undefined || !cast.faults.fired.includes(step)) return
  const name = step.slice(step.indexOf(':') + 1)
  const stuck = fault === 'hang' && step.startsWith('close:')
  if (stuck && !bad.includes(name)) fail(`CL13: ${name} hung, and the report does not name it`)
}

function culprits({ steps, tasks, children }: ScopeReport): string[] {
  return [
    ...steps.filter(({ outcome }) => outcome !== 'done').map(({ name }) => name),
    ...tasks.filter(({ outcome }) => outcome === 'failed' || outcome === 'abandoned').map(({ name }) => name),
    ...children.flatMap(({ report }) => culprits(report)),
  ]
}

function anyProblem({ problems, children }: ScopeReport): boolean {
  return problems.length > 0 || children.some(({ report }) => anyProblem(report))
}
