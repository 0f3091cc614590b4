/** Every limit of the host, by name, with its reason (SC18). */
export const limits = {
  /** Reports that are kept in memory: a day of a small desk. A journal keeps more. */
  reports: 200,
  /** Event streams at once, over all pages: each is a connection that stays open. */
  streams: 100,
  /** Bytes that may wait for a reader of a stream. One so slow is cut off, and begins anew with a snapshot. */
  unread: 1_000_000,
  /** Milliseconds between two comments on a stream, so that both sides notice when the other is gone. */
  heartbeat: 15_000,
  /** Milliseconds between two batches of one session's news: twenty a second is what an eye can follow. */
  batch: 50,
  /** Milliseconds between two looks at what does not tell of its changes: the state of links, the words on their way. */
  look: 250,
  /** Events in one batch; of more, the oldest are left out. */
  batchEvents: 500,
  /** Items of the transcript in a snapshot, the newest; the report has all. */
  transcript: 200,
  /** Characters of one text in a snapshot or an event; the report has all. */
  text: 4_000,
  /** Turns of a live session whose latency is remembered for a page that is opened later. */
  latencies: 200,
  /** Bytes of a request's body: the longest is a list of names. */
  body: 16_384,
  /** Characters of a search. */
  query: 200,
  /** Wrong secrets from one address within `attemptsWindow`; and the addresses that are remembered. */
  attempts: 10,
  attemptsWindow: 60_000,
  addresses: 1_000,
  /** How long a login lasts: a working day. */
  login: 12 * 3_600_000,
  /** Files of the page, and their bytes: they are kept in memory. */
  files: 200,
  fileBytes: 20_000_000,
  /** Connections at once; calls are among them. */
  connections: 10_000,
  /** Milliseconds for the headers of a request, and for the whole of it: what it asks for is small. */
  headers: 10_000,
  request: 30_000,
} as const
