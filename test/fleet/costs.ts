/**
 * What requests cost a Postgres with 1,000 hosts and 300,000 live calls, in milliseconds of CPU, as
 * `npm run fleet -- --measure` prints them. Rounded up: they were measured on two busy cores of a shared machine (Node
 * 20.20, Postgres 18.4), where the same request costs more than on an idle one.
 */
export const costs = {
  beat: 0.5,
  /** With nothing to adopt, and for each call. */
  adopt: 1.1,
  adoptCall: 0.17,
  orphans: 0.5,
  find: 0.3,
  take: 0.8,
  open: 0.9,
  close: 0.9,
  /** A batch of words, and each of them. */
  entries: 0.6,
  entry: 0.07,
  /** A worker that looks for work. */
  claim: 1.5,
  join: 0.3,
  leave: 0.3,
} as const

/** Assumed, and not measured. */
export const assumed = {
  /** Milliseconds from a host to the store and back. */
  network: 0.5,
  /** Milliseconds until a commit is on disk. All commits that wait share one flush. */
  flush: 2,
  /** What a call writes per second: a turn of the caller and one of the agent every 10 s. */
  wordsPerSecond: 0.2,
  /** Seconds that a call lasts on average. */
  callSeconds: 240,
  /** Processes per host. */
  workers: 4,
  /** Milliseconds between two looks of a host for work. */
  workPoll: 5_000,
} as const
