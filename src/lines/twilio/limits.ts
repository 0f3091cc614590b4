/** Every limit of the line that nobody has to set, by name, with its reason (SC18). */
export const limits = {
  /** Bytes of the body of a webhook: a carrier tells a few dozen short things. */
  body: 32 * 1024,
  /** Bytes of one message of a stream: a second of sound, in base64 and JSON, is more than any carrier sends at once. */
  message: 64 * 1024,
  /** Bytes of sound in one message: a second. */
  sound: 8_000,
  /**
   * Messages of a stream: 50 of sound and 5 marks a second, and room for a minute that the network, or this process, has
   * held back.
   */
  messages: { perSecond: 200, burst: 4_000 },
  /** Messages of a stream that make no sense before it is cut. One or two are the carrier's mistake, not the caller's. */
  nonsense: 50,
  /** Messages before `start`: carriers send one. */
  opening: 10,
  /** How long a stream may take to say which call it is of. */
  introduction: 5_000,
  /** Characters of the name of a call, a stream or a number. */
  name: 200,
  /** Parameters of a call that are told to `onCall`. */
  parameters: 50,
  /** Milliseconds of sound in one message to the carrier: a fifth of the messages that 20 would make. */
  piece: 100,
  /** Milliseconds of sound between two marks of our own: so often it is known how far the caller is. */
  step: 200,
  /**
   * Milliseconds of sound that are at the carrier, and not heard yet. It would take all at once, and `clear` would empty
   * it; but a clear queues in the socket behind what was sent before it, and what is there when a stream breaks is in
   * doubt. So little is sent ahead, and enough for this process to stand still for a moment unheard. The pace is that of
   * the clock, not of the marks: a carrier that returns none is spoken to like any other (SP5).
   */
  ahead: 2_000,
  /** How often, in milliseconds, it is looked whether more can be sent. */
  look: 100,
  /** Bytes that a socket may hold back before sound waits: a clear must not queue behind more. */
  congested: 32 * 1024,
  /** Milliseconds for which sound is kept that must have been heard by now, if the carrier does not say that it was. */
  doubt: 10_000,
  /** Milliseconds of sound that wait to be played. A model that speaks for longer than that has lost its mind. */
  queued: 10 * 60_000,
  /** Marks that wait to come back: some carriers never return one. */
  marks: 1_000,
  /** How long the carrier may take to answer the close frame, and to say that the call is over. */
  closePatience: 2_000,
  /** How long one request to the carrier may take. */
  request: 1_500,
  /** Tries to end a call, and the wait before the second; it doubles. After that the carrier's own limit ends it. */
  tries: 4,
  pause: 500,
  /** All of that, and a little more. */
  longestHangUp: 10_000,
  /** Calls that are remembered when they are over: a late webhook or stream of theirs must not start them anew. */
  remembered: 1_000,
} as const
