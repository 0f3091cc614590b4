/** Limits that all lines share, each with its reason (SC18). */
export const limits = {
  /** Bytes a socket may buffer before sound waits: a clear must not queue behind more than this. */
  congested: 32 * 1024,
  /** Bytes a socket may buffer at all. Sound waits long before that; a peer that does not even read the rest is cut. */
  unread: 1024 * 1024,
  /** Milliseconds of sound that may be queued. A model that speaks for longer has lost its mind. */
  queued: 10 * 60_000,
  /**
   * Typed texts and keys. Each may become a turn, which costs a request to a model. A telephone sends ten keys per
   * second; a page may send at once what was typed while it was cut off.
   */
  typed: { perSecond: 10, burst: 50 },
  /** Milliseconds that other processes may take to say whether they have room: a caller waits. */
  roomElsewhere: 2_000,
  /** Marks that may be pending: a page without sound, and some carriers, never return one. */
  marks: 1_000,
} as const
