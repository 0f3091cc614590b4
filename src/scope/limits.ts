/** Every limit of the scope, by name, with its reason (SC18). */
export const limits = {
  /** Telling a tree to close walks it by recursion; no sane tree is this deep, and a stack overflow would lose calls. */
  depth: 100,
  /** Things one scope may own at once. Reaching it means that something spawns without end. */
  owned: 1_000_000,
  /** Entries a report lists of each sort; the rest is counted. A report is pasted into bug reports. */
  reported: 200,
  /** Characters of an error's message that a report keeps. */
  message: 500,
  /** Later callers of `close()` that a report lists. */
  asks: 20,
  /** Calls of `onProblem` before the event loop has to turn: one that causes the next problem must not starve it. */
  burst: 100,
} as const
