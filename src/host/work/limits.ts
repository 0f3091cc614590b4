/** The limits of after-call work, each with its reason (SC18). Times are in milliseconds. */
export const limits = {
  /** The first and the longest delay before failed work is tried again. */
  firstDelay: 1_000,
  longestDelay: 3_600_000,
  /** Failed work is given up three days after it fell due: long enough for a weekend's outage of a receiver. */
  giveUpAfter: 3 * 24 * 3_600_000,
  /** Work is tried at least this often, however old it is: a host may have been down for those three days. */
  attempts: 10,
  /** The first delay for work whose handler this process does not have. A deployment may bring the handler soon. */
  unknownDelay: 30_000,
  /** The first and the longest delay before a call to a journal that failed is made again. */
  journalDelay: 1_000,
  journalLongestDelay: 30_000,
  /** How long a call to the journal may take before it counts as failed. */
  journalTimeout: 10_000,
  /** Calls to the journal that timed out and have not returned. With more of them, calls fail at once. */
  hungCalls: 20,
  /** The shortest pause after a claim that got nothing, although the journal said that work is due. */
  idleDelay: 250,
  /** The longest pause between two claims: the most that a lost `wake()` can cost. */
  recheck: 300_000,
  /** How long a handler that was cancelled may take to end: after its timeout, and while the process closes. */
  cancelGrace: 1_000,
  closeGrace: 100,
  /** Abandoned handlers that still run beside the others. Each further one takes a place of a new attempt. */
  abandoned: 100,
  /** Characters of an error that is kept with the work. */
  error: 500,
  /** Handlers of one agent file. */
  handlers: 100,
  /** Secrets of a webhook that sign at once: an old and a new one, with room for a few receivers. */
  secrets: 10,
  /** Bytes of a webhook's response that are read, so that its connection can be used again. */
  responseBytes: 16_384,
  /** Milliseconds for that, after the status is known. */
  responseTime: 1_000,
} as const
