import type { ScopeReport } from '../../scope/index.ts'
import type { SessionReport } from '../../session/index.ts'
import { isWrong } from './outcome.ts'
import type { Culprit, SessionSummary } from './messages.ts'

/** Outcomes, worst first. */
const worstFirst: readonly Culprit['outcome'][] = [
  'abandoned',
  'timed-out',
  'skipped',
  'failed',
  'aborted',
  'dropped',
  'problem',
  'pending',
]

/** Whether a call is not clean, or a tool failed in it. Undefined until it has ended. */
export function wentWrong({ clean, failedTools = [] }: SessionSummary): boolean | undefined {
  return clean === undefined ? undefined : !clean || failedTools.length > 0
}

/** Everything that failed in the call or kept its close from being clean, worst first, and the slowest first among equals. */
export function culpritsOf(report: SessionReport): Culprit[] {
  const inClose = inScope(report.scope, [])
  // The error that ended the session, and problems of the close, are listed elsewhere.
  const known = new Set([report.error?.message, ...inClose.map(({ error }) => error?.message)])
  const inCall = report.errors
    .filter(({ error }) => !known.has(error.message))
    .map(({ where, error }): Culprit => ({
      name: where,
      path: [],
      kind: 'problem',
      outcome: 'problem',
      error,
    }))
  const cut = report.connections.flatMap(({ name, how }): Culprit[] =>
    how === 'aborted' || (how === 'dropped' && report.ended !== 'lost')
      ? [{ name, path: [], kind: 'connection', outcome: how }]
      : [],
  )
  // The resource of a connection is usually listed as a step, which also says when it happened.
  const steps = new Set([...inClose, ...inCall].map(({ name }) => name))
  const rest = [...inClose, ...cut.filter(({ name }) => !steps.has(name))].toSorted(
    (one, other) => rank(one) - rank(other) || (other.took ?? 0) - (one.took ?? 0),
  )
  // What failed during the call, the caller may have noticed. Only what may still be running is worse.
  const worst = rest.findLastIndex(({ outcome }) => outcome === 'abandoned') + 1
  return [...rest.slice(0, worst), ...inCall, ...rest.slice(worst)]
}

const rank = ({ outcome }: Culprit): number => worstFirst.indexOf(outcome)

function inScope(report: ScopeReport, path: readonly string[]): Culprit[] {
  const tasks = report.tasks.map((task) => ({ ...task, took: task.at }))
  const own = [...tasks, ...report.steps].flatMap(({ name, kind, outcome, took, error }): Culprit[] =>
    isWrong(outcome) ? [{ name, path, kind, outcome, took, ...(error ? { error } : {}) }] : [],
  )
  const problems = report.problems.map(({ where, error }): Culprit => ({
    name: where,
    path,
    kind: 'problem',
    outcome: 'problem',
    error,
  }))
  const below = report.children.flatMap((child) => inScope(child.report, [...path, child.report.name]))
  return [...own, ...problems, ...below]
}
