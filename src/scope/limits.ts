/** Every limit of a scope, with its reason (SC18). */
export const limits = {
  /** Scopes nested in each other. Closing walks the tree by recursion, and a stack overflow would lose calls. */
  depth: 100,
  /** Things one scope owns at once. Reaching the limit means that something spawns without end. */
  owned: 1_000_000,
  /** Entries per list of a report; the rest is counted. Reports get pasted into bug reports. */
  reported: 200,
  /** Characters of an error's message in a report. */
  message: 500,
  /** Later calls of `close()` that a report lists. */
  asks: 20,
  /** Calls of `onProblem` before the event loop must turn. A listener that causes the next problem must not starve it. */
  burst: 100,
} as const
