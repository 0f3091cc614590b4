/** Limits of the phone line that no option sets, each with its reason (SC18). */
export const limits = {
  /** Bytes in the body of a webhook: a carrier sends a few dozen short fields. */
  body: 32 * 1024,
  /** Bytes per message of a stream: a second of sound, in base64 and JSON, is more than any carrier sends at once. */
  message: 64 * 1024,
  /** Bytes of sound per message: a second. */
  sound: 8_000,
  /**
   * Messages and control frames from a carrier. Per second: 50 of sound, 5 marks, and room to catch up. At once: what
   * was held back for a minute, by the network or because this process stood still.
   */
  messages: { perSecond: 200, burst: 4_000 },
  /** Messages that make no sense before a stream is cut. One or two are the carrier's mistake, not the caller's. */
  nonsense: 50,
  /** Messages and control frames before `start`: carriers send one. */
  opening: 10,
  /** Milliseconds that a stream may take to say which call it belongs to. */
  introduction: 5_000,
  /** Characters in the name of a stream, a mark or an account. */
  name: 200,
  /** Characters in the address of a recording. */
  link: 2_000,
  /** Milliseconds for which the address of a stream is good. Carriers open a stream at once. */
  ticket: 60_000,
  /** Streams per call: one, and another each time the network breaks. */
  streams: 100,
  /** Frames of sound that wait for one that is missing: 100 ms at 20 ms per frame. */
  outOfOrder: 5,
  /** Parameters of a call that are passed to `onCall`. */
  parameters: 50,
  /** Milliseconds of sound per message to the carrier: a fifth of the messages that 20 ms would need. */
  piece: 100,
  /** Milliseconds of sound between two marks of our own: how often the caller's position becomes known. */
  step: 200,
  /**
   * Milliseconds of sound to send ahead of what was heard. The carrier would take everything at once, and `clear` would
   * empty its buffer; but a clear queues in the socket behind what was sent before, and what the carrier has when a
   * stream breaks is in doubt. So only a little is sent ahead: enough for this process to stand still for a moment
   * unnoticed. The clock sets the pace, not the marks: a carrier that returns none hears the agent all the same (SP5).
   */
  ahead: 2_000,
  /**
   * Milliseconds until a congested socket, or sound that was not due, is tried again. A tenth of what is sent ahead, and
   * two pieces at a time: each attempt costs a timer and a system call.
   */
  resendEvery: 200,
  /** How long sound that must have been heard is kept if the carrier does not confirm it, in milliseconds. */
  doubt: 10_000,
  /** Milliseconds that the carrier may take to answer the close frame and to confirm the end of the call. */
  closePatience: 2_000,
  /** Bytes of an answer of the carrier's REST API: a resource has a few kilobytes. */
  restAnswer: 256 * 1024,
  /** Milliseconds per request to the carrier. */
  request: 1_500,
  /** Attempts to end a call, and the wait before the second, which doubles. After that the carrier's own limit ends it. */
  tries: 4,
  pause: 500,
  /** Milliseconds for all attempts together, and a little more. */
  longestHangUp: 10_000,
  /** Milliseconds until a carrier is asked again whether a call whose stream has stopped is live: it may not know yet. */
  lookAgain: 1_000,
  /** Milliseconds for a redirect to show, if the carrier did not answer the request. */
  redirect: 3_000,
  /** Milliseconds for a call to come back after its keys were pressed, besides the time that they take. */
  keys: 8_000,
  /** Milliseconds for which keys that were given up may be pressed all the same, because the carrier was slow. */
  lateKeys: 15_000,
  /** Attempts to have keys pressed, for a carrier that knows a request again. More would press them long after they were wanted. */
  keyTries: 3,
  /** Milliseconds by which a carrier may let a phone ring for longer than it was told, and take to say how that ended. */
  ringSlack: 10_000,
  /**
   * Milliseconds, after a phone may have rung, for a carrier to say how that ended. It may queue a call for some seconds, and
   * detect for up to 30 s whether a machine has answered.
   */
  dialSlack: 45_000,
  /** Milliseconds that a call out may ring, unless set. */
  ringTimeout: 30_000,
  /** Calls out that wait for their turn. */
  queuedDials: 10_000,
  /** Calls out to remember by their keys: a key never dials twice. */
  dialKeys: 10_000,
  /** Milliseconds for a person who has answered to be connected to us. */
  connect: 15_000,
  /** Milliseconds for an agent to talk to that person: a little more than any session allows. */
  consultation: 660_000,
  /** Milliseconds for a call to join a conference: it takes about a second. */
  join: 3_000,
  /** Milliseconds for that, with the request before it and the slack of the carrier. */
  move: 20_000,
  /** Milliseconds to find out where two calls are, with a request about each. */
  check: 3_000,
  /** Milliseconds to bring back a caller who is in a conference alone. */
  recall: 10_000,
  /** Milliseconds for which a transfer that has failed is remembered: a call may join the conference late. */
  strays: 60_000,
  /** Attempts to connect a call whose stream ended before any process answered it: one that drains refuses it. */
  attempts: 5,
  /** Verdicts on who answered that come before their call begins: a moment before, if at all. */
  earlyVerdicts: 100,
} as const
