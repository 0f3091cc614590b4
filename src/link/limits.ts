/** Limits of sockets and links that are not options, each with its reason (SC18). */
export const limits = {
  /** Bytes per message. A minute of audio in JSON is smaller; a larger message ends the socket with 1009. */
  payload: 6 * 1024 * 1024,
  /** How many seconds' worth of its inbound limits a peer may send at once. Its answers come faster than they are spoken. */
  inboundBurst: 4,
  /** Messages and bytes of a connection that is left or closing: the end of an answer and the last transcripts. */
  lateMessages: 2_000,
  lateBytes: 8 * 1024 * 1024,
  /**
   * How long a socket waits for the peer's close frame, and then for the end of the TCP connection, which some peers
   * never send. A last resort: links cut their sockets earlier.
   */
  closeFrame: 5_000,
  /** Characters of a peer's close reason that are kept for reports and logs. */
  reason: 200,
  /** Bytes a socket may buffer. Beyond that the peer does not keep up, and further messages wait in the queue. */
  congested: 256 * 1024,
  /** How often a congested socket is checked, in milliseconds. Sockets have no drain event. */
  congestionCheck: 20,
  /** A peer from which nothing arrives for this long is sent a ping, in milliseconds. */
  quiet: 4_000,
  /** A timer that fires this late shows that the thread was blocked, and says nothing about the peer. */
  lateTimer: 500,
  /** The shortest time between two rollovers. Planned rollovers cost no retries, so another limit must bound them. */
  betweenRollovers: 1_000,
  /** That time doubles with each rollover wanted earlier, up to this. */
  longestBetweenRollovers: 60_000,
  /** The longest delay of a rollover. No provider's session lasts a day; a longer delay comes from a broken message. */
  longestRolloverDelay: 24 * 60 * 60 * 1_000,
} as const
