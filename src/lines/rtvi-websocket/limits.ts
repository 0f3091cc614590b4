/** Limits of the line for RTVI clients over WebSocket that no option sets, each with its reason (SC18). */
export const limits = {
  /** Bytes per message from a client: two seconds of sound, or a long text. */
  message: 64 * 1024,
  /**
   * Messages and control frames from a client. Per second: 63 of sound, or 188 at 48 kHz, and room to catch up. At once: what it
   * has recorded in the minute before it was ready, which it sends all at once.
   */
  messages: { perSecond: 250, burst: 4_000 },
  /** Milliseconds of sound to send ahead: a client plays to its end whatever it has, also after an interruption. */
  ahead: 200,
  /** Milliseconds of sound per message, and between two looks for sound that is due. */
  piece: 20,
  resendEvery: 20,
  /** Milliseconds of sound that was recorded before the client was ready, or held up on its way, that is still heard. */
  catchUp: 1_000,
  /** Milliseconds that a client has to disconnect by itself, after it was told that the call has ended. */
  farewell: 500,
  /** Milliseconds that a client may take to end its connection. */
  closePatience: 1_000,
  /** Milliseconds for which the token of a call is good: a client connects right after it got the token. */
  token: 60_000,
  /** Characters per token, which has the data of the request in it. */
  tokenLength: 4_000,
} as const
