/** The host's limits, each with its reason (SC18). */
export const limits = {
  /** Reports kept in memory: about a day of a small business. */
  reports: 200,
  /** Concurrent event streams of all pages. Each is an open connection. */
  streams: 100,
  /** Bytes buffered per stream. A slower client is cut off and starts again with a snapshot. */
  unread: 1_000_000,
  /** Milliseconds between two comments on a stream, so that both sides notice a broken connection. */
  heartbeat: 15_000,
  /** Milliseconds between two batches of one session's events: 20 per second are enough for the eye. */
  batch: 50,
  /** Milliseconds between two checks of what emits no events: the status of links, the current words. */
  statusCheck: 250,
  /** Events per batch. The oldest are dropped. */
  batchEvents: 500,
  /** Events that are kept per call, and the characters of their texts: those of a call of several hours. The oldest are dropped. */
  timeline: 2_000,
  timelineText: 300_000,
  /** Names of failed tools of a call in the list. */
  failedTools: 5,
  /** Characters of the first words of a call in the list. */
  firstWords: 120,
  /** Characters per text in a snapshot or an event. The report has all of them. */
  text: 4_000,
  /** Latencies of a live session that are kept for pages opened later. */
  latencies: 200,
  /** Bytes per request body. The longest is a list of names. */
  body: 16_384,
  /** Characters of a search query. */
  query: 200,
  /** Rows of a list that a request may ask for. */
  rows: 1_000,
  /** Recordings that are read at the same time. Each is an open file. */
  recordings: 20,
  /** Bytes of a recording per read. */
  recordingChunk: 65_536,
  /** Peaks of a waveform: one per two pixels of a wide screen. And samples that are read for each: 16 MB in total. */
  peaks: 1_000,
  peakFrames: 4_000,
  /** Wrong secrets per address within `attemptsWindow`, and the number of addresses that are tracked. */
  attempts: 10,
  attemptsWindow: 60_000,
  addresses: 1_000,
  /** The lifetime of a login: a working day. */
  login: 12 * 3_600_000,
  /** Files of the page and their total bytes, which are kept in memory. */
  files: 200,
  fileBytes: 20_000_000,
  /** Concurrent connections, including calls. */
  connections: 10_000,
  /** Milliseconds for the headers of a request, and for all of it. Requests are small. */
  headers: 10_000,
  request: 30_000,
} as const
