/** Every limit of the guard, by name, with its reason (SC18). */
export const limits = {
  /** Entries of each sort that a report of a guard lists; the rest is counted. */
  reported: 200,
  /** Late errors a report keeps. A zombie that throws in a loop must not fill the memory. */
  late: 20,
  /** Late errors of one guard that are told as warnings, if nobody listens to them. */
  lateWarnings: 3,
  /** Connections opened outside of every guard that are remembered at once. */
  unowned: 1_000,
  /** Places in the code that are warned about for opening connections outside; each once. */
  unownedWarnings: 20,
  /** Refusals that come at once. From the next on they are slowed: a retry loop must not starve the event loop. */
  quickRefusals: 3,
  /** The first slow refusal comes after so many milliseconds, each later one after twice as many… */
  refusalDelay: 100,
  /** …up to this. */
  longestRefusalDelay: 5_000,
  /** Timers that have ended stay in the books until there are so many, and as many as there are living ones. */
  timersBeforeSweep: 64,
} as const
