/** Every limit of sockets and links that nobody has to set, by name, with its reason (SC18). */
export const limits = {
  /** Bytes of one message: a minute of sound in JSON is less. A longer one ends the socket with 1009. */
  payload: 16 * 1024 * 1024,
  /**
   * How long a socket waits for the other side's close frame, and then for the end of its TCP connection, which some
   * never send. Links have less patience than this; it stands behind them.
   */
  closeFrame: 5_000,
  /** Characters of a peer's reason that are kept: it is pasted into reports and logs. */
  reason: 200,
  /** Bytes that a socket may hold back: with more the peer does not keep up, and what comes next waits in the queue. */
  congested: 256 * 1024,
  /** How often, in milliseconds, a congested socket is looked at. Sockets do not tell when they are not any more. */
  look: 20,
  /** Milliseconds from one rollover to the next, at least: planned ones are free, so something else must bound them. */
  betweenRollovers: 1_000,
} as const
