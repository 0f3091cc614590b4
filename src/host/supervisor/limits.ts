/** The supervisor's limits, each with its reason (SC18). */
export const limits = {
  /** A worker lost within this time of being ready, or before, died young: its replacement may have to wait. */
  young: 10_000,
  /** The pause before a replacement, from the second young death in a row on. It doubles each time. */
  firstPause: 1_000,
  lastPause: 30_000,
  /** Young deaths in a row after which the supervisor gives up, if no call worker was ever ready. */
  hopeless: 5,
  /** For a worker to load the agent file and become ready. Local models take seconds; this only ends what hangs. */
  start: 60_000,
  /** Beyond `drainTimeout`, for a worker to say goodbye in the calls that are left. Then they are closed. */
  goodbye: 15_000,
  /** For the request of a connection that a draining worker has taken. */
  unused: 250,
  /** Beyond `closeTimeout`, for a worker to write its last reports and to exit. Then it is killed. */
  exit: 2_000,
  /** For a killed process to disappear. One that is stuck in the kernel may never do so. */
  kill: 5_000,
  /** Workers that drain at once because they were replaced, per call worker. Above it, the oldest closes its calls. */
  draining: 2,
  /** Workers of earlier programs that drain at once, per call worker. Above it, the oldest closes its calls (RL1). */
  earlier: 8,
  /** Isolated workers that start at once, unless `workers` is more. */
  starting: 4,
  /** How many times a call is passed from a worker without room to another. Then it is refused. */
  hops: 4,
  /** For a worker with room to become ready, while a call waits for it. Then the call is refused. */
  room: 8_000,
  /** For the supervisor to say whether there is room, while a carrier waits. Then the call is refused. */
  roomAnswer: 2_000,
  /** For a worker to take a call that was passed to it. Then the place is free for others. */
  promise: 5_000,
  /** A worker that passes a call on gets no others for this long, unless one of its calls ends. */
  full: 1_000,
  /** Characters of a request that is passed on. Node accepts 16 KB of headers. */
  head: 65_536,
  /** Requests of one worker that are not answered yet. More mean that the journal cannot keep up. */
  requests: 10_000,
  /** For a worker to answer with its metrics: a scrape must not wait for a worker that is stuck. */
  metrics: 2_000,
  /** Milliseconds between two beats of a worker's event loop. */
  beat: 50,
  /** Milliseconds between two looks of the watchdog. A late look counts as one: it says only that the machine is busy. */
  look: 100,
  /** An event loop that has computed or waited for this long without a turn is blocked: its culprit is named, and cut. */
  blocked: 500,
  /** The kernel's figures lag behind by this much at most. */
  slack: 50,
  /** Code that goes on for this long after it was asked to pause is native, and cannot be cut. */
  prompt: 150,
  /** A loop that is blocked for this long and could not be cut is in native code: its process is killed. */
  stuck: 2_000,
  /** Of that time, how much the thread must have computed or waited. A starved thread does neither. */
  stuckProof: 1_000,
  /** A process without a sign of life from its watchdog is killed, if it computes or waits. A starved one does neither. */
  silent: 2_000,
  /** Milliseconds between two looks of the supervisor for signs of life. */
  silentLook: 500,
  /** Characters of a line that a worker prints. The rest becomes the next line. */
  line: 16_384,
  /** Characters of a stack, and its frames. */
  stack: 4_000,
  frames: 20,
  /** Connections that wait for a worker to be ready. More are refused. */
  waiting: 1_000,
} as const
