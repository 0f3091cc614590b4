/** The guard's limits, each with its reason (SC18). */
export const limits = {
  /** Entries per list in a report. The rest are counted. */
  reported: 200,
  /** Late errors in a report. A leftover task that throws in a loop must not fill the memory. */
  late: 20,
  /** Late errors per guard that are emitted as warnings if there is no `onLate`. */
  lateWarnings: 3,
  /** Unowned connections that are tracked at once. */
  unowned: 1_000,
  /** Places in the code that are warned about, once each, for opening unowned connections. */
  unownedWarnings: 20,
  /** Refusals without a delay. Further ones are delayed, so that a retry loop cannot starve the event loop. */
  quickRefusals: 3,
  /** The delay of the first slow refusal in milliseconds. It doubles with each further one. */
  refusalDelay: 100,
  /** The upper bound of that delay. */
  longestRefusalDelay: 5_000,
  /** Ended timers are removed from the list when it has this many entries, or twice the active ones. */
  timersBeforeSweep: 64,
} as const
