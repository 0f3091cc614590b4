import type { ScopeReport } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { simulate, type Fault, type World } from '../../src/testing/index.ts'
import { FullCall, type FullCallOptions } from './full-call.ts'
import { moments } from './moments.ts'
import { callEnds } from '../../src/testing/call-ends.ts'

export interface Case {
  readonly name: string
  readonly trigger: string
  readonly moment: string
  /** The step that gets a fault, and the fault. None in a healthy case. */
  readonly step?: string
  readonly fault?: Fault
  readonly call?: FullCallOptions
  /** The row of the case in the table. Default: its step and fault. */
  readonly group?: string
  /** Changes the call before it starts. */
  readonly tamper?: (call: FullCall) => void
}

export interface CaseResult {
  readonly case: Case
  /** `unreachable`: the trigger cannot be used at that moment, or the faulted step does not run in such a call. */
  readonly outcome: 'passed' | 'failed' | 'unreachable'
  readonly problems: readonly string[]
  /** From the first moment of closing to the report, in virtual milliseconds. */
  readonly tookMs: number
  /** The names of all steps that ran, which could get a fault in such a call. */
  readonly steps: readonly string[]
  readonly story: string
}

/** How long a graceful end may take here: all tool timeouts, the stall and the close, with a margin. */
const MAX_END = 120_000

/** Runs one case, and checks what must be true of every session that has ended. */
export async function runCase(one: Case): Promise<CaseResult> {
  const problems: string[] = []
  let reached = true
  let tookMs = 0
  let steps: readonly string[] = []
  const life = await simulate(1, async (world) => {
    const call = new FullCall(world, { ...moments[one.moment]!.call, ...one.call })
    if (one.step !== undefined && one.fault !== undefined) call.faults.set(one.step, one.fault)
    one.tamper?.(call)
    await moments[one.moment]!.reach(call)
    const stateBefore = call.session.state
    if (stateBefore === 'closing' || stateBefore === 'closed') {
      // The fault alone has ended the session before the moment was reached. It must have ended well.
      await world.clock.elapse(MAX_END)
      tookMs = checkEnd(world, call, one, problems)
      return
    }
    world.tell(`── ${one.trigger} ──`)
    reached = callEnds[one.trigger]!.end(call)
    if (!reached) call.session.close().catch(() => {})
    await world.clock.elapse(MAX_END)
    tookMs = checkEnd(world, call, one, problems)
    steps = [...call.steps]
    if (one.step !== undefined && !call.faults.fired.includes(one.step)) reached = false
  })
  for (const { rule, what } of life.violations) problems.push(`${rule}: ${what}`)
  const outcome = problems.length > 0 ? 'failed' : reached ? 'passed' : 'unreachable'
  return { case: one, outcome, problems, tookMs, steps, story: life.story }
}

/** Checks what must be true of every session that has ended. Returns how long its close took. */
export function checkEnd(
  world: World,
  call: FullCall,
  one: Pick<Case, 'step' | 'fault'>,
  problems: string[],
): number {
  const fail = (what: string): void => void problems.push(what)
  const { closed, closingAt, session } = call
  if (closed.length !== 1) fail(`CL1: ${closed.length} closed events; the session is ${session.state}`)
  const last = closed.at(-1)
  if (!last || closingAt === undefined) return 0
  const { report, at } = last
  if (at - closingAt > report.closeTimeout + 0.01)
    fail(`CL1: closed ${at - closingAt} ms after closing began`)
  for (const { what, settled } of call.promises) if (!settled) fail(`CL10: ${what} never settled`)
  if (call.line.counts.opened > 0) {
    // Sound that is already on its way cannot be recalled.
    const { latency = 0, avatar } = call.line.options
    const tail = latency + (avatar?.lag ?? 0)
    const audible = call.line.audibleAfterClosing
    if (audible > tail + 0.01) fail(`CL9: ${audible} ms of sound were heard after closing began`)
    if (call.line.playedTooLate.length > 0)
      fail(`CL9: ${call.line.playedTooLate.length} frames were played after closing began`)
  }
  for (const part of call.parts) {
    if (part.counts.live > 0) fail(`SC15: ${part.name} is still open`)
  }
  for (const { name } of world.clock.timers.list()) fail(`SC15: timer '${name}' is left`)
  // A fault in the handler itself replaces it.
  const faulted = call.faults.fired.includes('task:afterCall')
  if (report.startedAt !== undefined && !faulted && call.afterCalls.length !== 1) {
    fail(`CL5: ${call.afterCalls.length} after-call runs`)
  }
  for (const item of report.transcript) {
    if (item.type === 'tool' && !item.result) fail(`TL2: the call of ${item.name} has no output`)
  }
  checkReport(report, one, call, fail)
  return at - closingAt
}

/** Checks that the report is true: it names every step that was forced or failed, and is clean only if there is none. */
function checkReport(
  report: SessionReport,
  one: Pick<Case, 'step' | 'fault'>,
  call: FullCall,
  fail: (what: string) => void,
): void {
  const bad = culprits(report.scope)
  if (report.clean && bad.length > 0) fail(`CL13: reported clean despite ${bad.join(', ')}`)
  // A lost caller drops the line, which says nothing about the close (CL2).
  const isLost = report.ended === 'lost'
  const cut = report.connections.some(
    ({ name, how }) => (how === 'aborted' || how === 'dropped') && !(isLost && name === 'line'),
  )
  if (report.clean && cut) fail('CL13: reported clean although a connection was aborted or dropped')
  const explained = bad.length > 0 || cut || report.errors.length > 0 || anyProblem(report.scope)
  if (report.clean && report.errors.length > 0)
    fail(`CL13: reported clean despite ${report.errors[0]!.where}`)
  if (!report.clean && !explained) fail('CL13: reported not clean without a cause')
  const { step, fault } = one
  if (step === undefined || fault === undefined || !call.faults.fired.includes(step)) return
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
