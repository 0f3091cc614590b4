/** Every limit of the line that nobody has to set, by name, with its reason (SC18). */
export const limits = {
  /** Bytes of one message of a page: a second of sound at 48 kHz is more than any page sends at once. */
  message: 96 * 1024,
  /**
   * Messages that a page may send, a second for good: 50 of sound, 5 of playout, and room for those who catch up; and at
   * once, when the network lets go of what it has held back.
   */
  messages: { perSecond: 150, burst: 1_000 },
  /** Characters of one typed text. */
  text: 10_000,
  /** Milliseconds of sound that are sent ahead of what was played: enough for a bad network, little to throw away. */
  ahead: 1_500,
  /** Bytes that a socket may hold back before sound waits: a clear must not queue behind more. */
  congested: 32 * 1024,
  /** How often, in milliseconds, a congested socket is looked at. Sockets do not tell when they are not any more. */
  look: 20,
  /** Milliseconds of sound that wait to be played. A model that speaks for longer than that has lost its mind. */
  queued: 10 * 60_000,
  /** Marks that wait to come back: those of a page without sound never do. */
  marks: 1_000,
  /** How long the page may take to answer the close frame. */
  closePatience: 1_000,
  /** Tokens may be as long as this: a header has its limits, too. */
  token: 4_000,
} as const
