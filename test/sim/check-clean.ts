import type { ScopeReport } from '../../src/scope/index.ts'
import { everyScope, type ScopeFacts, type TaskFacts } from './facts.ts'

/** Checks that `clean` follows from the rest of the report, and that a clean report is true (SC20). */
export function checkClean(
  fail: (rule: string, what: string) => void,
  one: ScopeFacts,
  report: ScopeReport,
  closedAt: number,
): void {
  const unclean =
    report.steps.some(({ outcome }) => outcome !== 'done') ||
    report.tasks.some(({ outcome }) => outcome === 'failed' || outcome === 'abandoned') ||
    report.children.some((child) => !child.report.clean) ||
    report.problems.length > 0
  if (report.clean === unclean) fail('SC20', `clean is ${report.clean}, which the lists do not say`)
  if (!report.clean) return
  const { took, closeTimeout } = report
  if (took >= closeTimeout + 1 && !one.aborted) fail('SC20', `clean, but took ${took} of ${closeTimeout}`)
  for (const below of everyScope(one)) {
    for (const task of below.tasks) {
      if (isRunning(task, closedAt) && !isCloser(task, below, report))
        fail('SC20', `clean, but ${task.name} of ${below.name} is still running`)
    }
    for (const { name, beganAt, endedAt } of below.deferred) {
      if (beganAt !== undefined && beganAt <= closedAt && (endedAt ?? Infinity) > closedAt)
        fail('SC20', `clean, but ${name} of ${below.name} is still running`)
    }
  }
}

function isRunning({ handle, endedAt }: TaskFacts, at: number): boolean {
  return handle !== undefined && (endedAt ?? Infinity) > at
}

/** A task that asked for a close may outlive it, but not the close of a scope further up (SC16). */
function isCloser({ handle }: TaskFacts, owner: ScopeFacts, report: ScopeReport): boolean {
  return handle?.outcome === 'closer' && isWithin(report, owner.name)
}

function isWithin(report: ScopeReport, name: string): boolean {
  return report.name === name || report.children.some((child) => isWithin(child.report, name))
}
