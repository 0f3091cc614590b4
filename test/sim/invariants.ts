import type { ScopeReport, TaskOutcome } from '../../src/scope/index.ts'
import type { World } from '../../src/testing/index.ts'
import { checkClean } from './check-clean.ts'
import {
  everyScope,
  lineage,
  type Facts,
  type ResourceFacts,
  type ScopeFacts,
  type TaskFacts,
} from './facts.ts'

/** Checks what must be true of a scope right after `close()` of it, or of a scope above it, has returned (SC3). */
export function checkFirstMoment(world: World, facts: ScopeFacts): void {
  const { scope, name } = facts
  if (scope.state === 'live') world.violate('SC3', `${name} is still live after close()`)
  // Not in every life, because making a signal costs more than most checks.
  if (world.seed % 4 === 0 && !scope.signal.aborted)
    world.violate('SC3', `the signal of ${name} has not been aborted`)
  for (const task of facts.tasks) {
    if (task.endedAt !== undefined || task.handle?.outcome !== undefined) continue
    if (task.shield === 0 && task.cancelSeenAt === undefined) {
      world.violate('SC3', `${task.name} in ${name} runs unshielded and has not been cancelled`)
    }
  }
  for (const resource of facts.resources) {
    const open = resource.closeCalls === 0 && resource.aborts === 0 && !resource.forgotten
    if (open && resource.hasHook && resource.closingCalledAt === undefined) {
      world.violate('SC3', `closing() of ${resource.name} in ${name} has not been called`)
    }
  }
}

/** Checks what must be true the moment a report is there: only deferred work may still have a timer (SC15). */
export function checkNothingLeft({ clock, network, violate }: World): void {
  for (const { name } of clock.timers.list()) {
    if (!name.startsWith('release of')) violate('SC15', `timer '${name}' outlives the close`)
  }
  for (const { name } of network.sockets.list()) violate('SC15', `socket '${name}' outlives the close`)
}

/** Checks what must be true of a whole life once everything has happened. */
export function checkEnd(world: World, facts: Facts): void {
  for (const one of everyScope(facts.root)) checkScope(world, facts, one)
  const { changes } = facts
  const added = changes.filter(({ type }) => type === 'added').length
  const ended = changes.filter(({ type }) => type === 'ended').length
  // The listener was added after the tree of scopes was built: those scopes end without having been added.
  const scopesBefore = everyScope(facts.root).length - 1
  if (ended - scopesBefore !== added)
    world.violate('SC1', `${added} things were added and ${ended - scopesBefore} ended`)
  const left = facts.root.scope.inspect().tree
  if (left.owned.length + left.children.length > 0) {
    world.violate('SC15', `still owned after the end: ${JSON.stringify(left)}`)
  }
}

function checkScope(world: World, facts: Facts, one: ScopeFacts): void {
  const { name, scope, closedAt, reports } = one
  const fail = (rule: string, what: string): void => world.violate(rule, `${name}: ${what}`)
  if (scope.state !== 'closed' || closedAt === undefined) return fail('CL1', `is ${scope.state} at the end`)
  const closes = facts.changes.filter((change) => change.type === 'closed' && change.name === name).length
  if (closes !== 1) fail('SC5', `was closed ${closes} times`)
  const report = reportOf(one)
  if (!report) return fail('SC5', 'has no report')
  for (const other of reports) if (other !== report) fail('SC5', 'two callers got two reports')
  if (!Object.isFrozen(report) || !Object.isFrozen(report.steps)) fail('SC5', 'the report is not frozen')
  if (one.timersFiredAfterClosing > 0) fail('SC7', 'a timer fired after closing had begun')

  checkDeadlines(fail, facts, one, report, closedAt)
  for (const task of one.tasks) checkTask(fail, facts, one, task, report, closedAt)
  for (const resource of one.resources) checkResource(fail, facts, resource, report, closedAt)
  checkOpenings(fail, one, closedAt)
  checkDeferred(fail, facts, one, report, closedAt)
  checkAllBegan(fail, facts, one, report)
  checkPhases(fail, one)
  checkClean(fail, one, report, closedAt)
  checkNoWait(fail, one, report, closedAt)
}

function reportOf(one: ScopeFacts): ScopeReport | undefined {
  const asked = one.reports.find((report) => report !== 'rejected')
  if (asked) return asked
  // Only its parent closed it: its report is inside the parent's.
  const outer = one.parent && reportOf(one.parent)
  return outer?.children.find(({ report }) => report.name === one.name)?.report
}

/** The earliest deadline that any call set, here or above (SC4). */
function deadlineOf(one: ScopeFacts): number {
  const own = Math.min(...one.asks.map(({ deadline }) => deadline))
  return one.parent ? Math.min(own, deadlineOf(one.parent)) : own
}

type Fail = (rule: string, what: string) => void

function checkDeadlines(
  fail: Fail,
  facts: Facts,
  one: ScopeFacts,
  report: ScopeReport,
  closedAt: number,
): void {
  const deadline = deadlineOf(one)
  // When the clock jumps past the deadline, the report has to come at that very moment.
  if (closedAt > deadline && !facts.jumps.includes(closedAt))
    fail('SC4', `closed at ${closedAt}, deadline ${deadline}`)
  for (const { at, report: inner } of report.children) {
    const child = one.children.find((other) => other.name === inner.name)!
    const began = closedAt - report.took + at
    // A call that closed the child itself may have given it more time than its own.
    if (child.asks.length > 0) continue
    if (child.closedAt! > Math.max(began + child.closeTimeout + 0.02, ...facts.jumps)) {
      fail('SC4', `${child.name} took ${child.closedAt! - began} of its own ${child.closeTimeout}`)
    }
  }
}

function checkTask(
  fail: Fail,
  facts: Facts,
  one: ScopeFacts,
  task: TaskFacts,
  report: ScopeReport,
  closedAt: number,
): void {
  const outcome = task.handle?.outcome
  if (outcome === undefined) return fail('SC8', `${task.name} has no outcome`)
  const latecomers = facts.late.filter(({ name }) => name === task.name)
  const expected: Record<string, TaskOutcome> = { returned: 'ended', cancelled: 'cancelled', threw: 'failed' }
  if (outcome === 'abandoned' && task.askedAt !== undefined)
    fail('SC16', `${task.name} asked for the close, and was waited for`)
  if (outcome === 'abandoned' || outcome === 'closer') {
    if (outcome === 'closer' && task.askedAt === undefined)
      fail('SC16', `${task.name} is reported as closer, but did not ask for the close`)
    if (task.endedAt !== undefined && task.endedAt < closedAt)
      fail('SC8', `${task.name} had ended, but is reported as ${outcome}`)
    if (latecomers.length !== (task.endedAt === undefined ? 0 : 1)) {
      fail('SC9', `${task.name} went to onLate ${latecomers.length} times`)
    }
    if (!report.tasks.some(({ name }) => name === task.name)) fail('SC9', `${task.name} is not in the report`)
    if (task.cancelSeenAt === undefined) fail('SC8', `${task.name} was abandoned without being cancelled`)
  } else {
    if (task.endedAt === undefined || task.endedAt > closedAt) fail('SC8', `${task.name} was not awaited`)
    if (outcome !== expected[task.how ?? ''])
      fail('SC10', `${task.name} ${task.how}, but is reported as ${outcome}`)
    if (latecomers.length > 0) fail('SC9', `${task.name} ended in time, but went to onLate as well`)
  }
  checkShield(fail, one, task, report, closedAt)
}

function checkShield(
  fail: Fail,
  one: ScopeFacts,
  task: TaskFacts,
  report: ScopeReport,
  closedAt: number,
): void {
  if (task.shield === 0 || task.cancelSeenAt === undefined) return
  if (task.cancelSeenAt > closedAt) fail('SC13', `${task.name} was cancelled after the end`)
  const asked = closedAt - report.took
  const early = task.cancelSeenAt < asked + task.shield - 0.02
  const deadline = asked + report.closeTimeout
  const lastMoment = deadline - 2 * Math.max(...lineage(one).map(({ reserve }) => reserve)) - 0.02
  if (early && !one.aborted && task.cancelSeenAt < lastMoment && task.cancelSeenAt !== closedAt) {
    fail(
      'SC13',
      `${task.name} has a shield of ${task.shield} and was cancelled after ${task.cancelSeenAt - asked}`,
    )
  }
}

function checkResource(
  fail: Fail,
  facts: Facts,
  resource: ResourceFacts,
  report: ScopeReport,
  closedAt: number,
): void {
  const { name } = resource
  const steps = report.steps.filter((step) => step.name === name)
  if (steps.length !== 1) return fail('SC11', `${name} has ${steps.length} steps in the report`)
  const step = steps[0]!
  const closed = resource.closedAt !== undefined && resource.closedAt <= closedAt
  if (resource.closeCalls > 1) fail('SC6', `${name} was closed ${resource.closeCalls} times`)
  if (step.outcome === 'done' && (!closed || step.forced))
    fail('CL13', `${name} is reported as done, but is not`)
  if (step.outcome === 'failed' && resource.failedAt === undefined)
    fail('CL13', `${name} is reported as failed, but did not fail`)
  if (step.outcome === 'skipped' && resource.closeCalls > 0)
    fail('CL13', `${name} is reported as skipped, but close() was called`)
  if (step.outcome !== 'done' && (resource.aborts === 0 || !step.forced)) {
    fail('SC12', `${name} is ${step.outcome} and was not aborted`)
  }
  if (resource.abortAt !== undefined && resource.abortAt > closedAt)
    fail('SC12', `${name} was aborted after the end`)
  const jumped = facts.jumps.some(
    (jump) => resource.closeAt !== undefined && jump >= resource.closeAt && jump <= closedAt,
  )
  if (resource.cap !== undefined && step.took > resource.cap + 0.02 && !jumped) {
    fail('SC12', `${name} took ${step.took} with a cap of ${resource.cap}`)
  }
}

function checkOpenings(fail: Fail, one: ScopeFacts, closedAt: number): void {
  for (const { name, outcome, outcomeAt, readyAt, resource } of one.openings) {
    if (outcome === undefined) fail('SC7', `the open() of ${name} never settles`)
    if (outcomeAt !== undefined && outcomeAt > closedAt)
      fail('SC7', `the open() of ${name} settled after the end`)
    const late = readyAt !== undefined && outcome !== 'ready'
    if (late && resource.aborts === 0) fail('SC7', `${name} came after closing had begun, and is still open`)
    if (late && resource.closeCalls > 0) fail('SC7', `${name} came late and was closed instead of aborted`)
  }
}

function checkDeferred(
  fail: Fail,
  facts: Facts,
  one: ScopeFacts,
  report: ScopeReport,
  closedAt: number,
): void {
  for (const deferred of one.deferred) {
    const { name, calls, endedAt } = deferred
    const latecomers = facts.late.filter((late) => late.name === name)
    if (deferred.revoked) {
      if (calls > 0) fail('SC11', `${name} was revoked and ran`)
      continue
    }
    const step = report.steps.find((each) => each.name === name)
    if (!step) {
      fail('SC11', `${name} is not in the report`)
      continue
    }
    if (calls !== 1) fail('SC11', `${name} ran ${calls} times`)
    if (step.outcome === 'pending') {
      if (endedAt !== undefined && endedAt < closedAt)
        fail('SC14', `${name} had ended, but is reported as pending`)
      if (latecomers.length !== 1)
        fail('SC14', `${name} is pending and went to onLate ${latecomers.length} times`)
      const released = closedAt - report.took + (latecomers[0]?.at ?? 0)
      if (released > closedAt + one.releaseTimeout + 0.02 && facts.jumps.every((jump) => jump < closedAt)) {
        fail('SC14', `${name} was released ${released - closedAt} ms after the end`)
      }
    } else {
      if (latecomers.length > 0) fail('SC14', `${name} is ${step.outcome}, but went to onLate as well`)
      const outcome = deferred.failed ? 'failed' : 'done'
      if (step.outcome !== outcome) fail('CL13', `${name} is reported as ${step.outcome}, but is ${outcome}`)
    }
  }
}

/** If there was no hurry, no abort and no jump, there was time to begin every step (SC11). */
function checkAllBegan(fail: Fail, facts: Facts, one: ScopeFacts, report: ScopeReport): void {
  const line = lineage(one)
  const asks = line.flatMap((each) => each.asks).filter(({ deadline }) => deadline < Infinity)
  const hurried = asks.length > 1 || line.some(({ aborted }) => aborted)
  const noTime =
    line.some(({ closeTimeout }) => closeTimeout === 0) || asks.some(({ at, deadline }) => at === deadline)
  if (hurried || noTime || facts.jumps.length > 0) return
  for (const { name, outcome } of report.steps)
    if (outcome === 'skipped') fail('SC11', `${name} had no time to begin`)
}

/** A resource's close does not begin before every resource of an earlier phase has ended (SC11). */
function checkPhases(fail: Fail, one: ScopeFacts): void {
  for (const later of one.resources) {
    for (const earlier of one.resources) {
      if (later.closeAt === undefined || earlier.closeAt === undefined) continue
      if (one.phases.indexOf(earlier.phase) >= one.phases.indexOf(later.phase)) continue
      const endedAt = Math.min(
        earlier.closedAt ?? Infinity,
        earlier.failedAt ?? Infinity,
        earlier.abortAt ?? Infinity,
      )
      if (later.closeAt < endedAt) fail('SC11', `${later.name} began before ${earlier.name} had ended`)
    }
  }
}

/** A close takes as long as the last thing it names, and not a moment longer (CL12). */
function checkNoWait(fail: Fail, one: ScopeFacts, report: ScopeReport, closedAt: number): void {
  const asked = closedAt - report.took
  const outer = one.parent && reportOf(one.parent)
  const inParent = outer?.children.find((child) => child.report === report)
  // A child that its parent closes first waits for its phase.
  const ran =
    inParent && one.parent?.closedAt !== undefined
      ? one.parent.closedAt - outer!.took + inParent.at - asked
      : 0
  const named = [
    ...report.tasks.filter(({ outcome }) => outcome !== 'closer').map(({ at }) => at),
    // A task that asks for the close is awaited until it asks.
    ...one.tasks.flatMap(({ askedAt }) => (askedAt === undefined ? [] : [askedAt - asked])),
    ...report.steps.map(({ at, took }) => at + took),
    ...one.children.flatMap((child) => (child.closedAt === undefined ? [] : [child.closedAt - asked])),
  ]
  const last = Math.max(0, ran, ...named)
  if (report.took > last + 0.05) fail('CL12', `took ${report.took}, though the last thing ended at ${last}`)
}
