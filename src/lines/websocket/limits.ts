/** Limits of the browser line that no option sets, each with its reason (SC18). */
export const limits = {
  /** Bytes per message from a page: a second of sound at 48 kHz is more than any page sends at once. */
  message: 96 * 1024,
  /**
   * Messages and control frames from a page. Per second: 50 of sound, 5 about playout, and room to catch up. At once:
   * what the network releases after it stalled.
   */
  messages: { perSecond: 150, burst: 1_000 },
  /** Characters per typed text. */
  text: 10_000,
  /** Milliseconds between two messages with the transcript: less would not look smoother. */
  transcriptEvery: 150,
  /** Entries of the transcript that a page which joins gets at least, if there are as many. It never has more than twice as many. */
  transcriptEntries: 100,
  /** Characters per entry of the transcript. The report has all of them. */
  transcriptText: 2_000,
  /** Milliseconds of sound to send ahead of what was played: enough for a bad network, little to throw away. */
  ahead: 1_500,
  /** Milliseconds of that which must be missing before more is sent. A page reports its playout twice in this time. */
  refill: 400,
  /** Milliseconds of sound per message, at most. Each costs time on both sides; a page starts to play with less than one. */
  piece: 100,
  /** Milliseconds until a congested socket is tried again. */
  resendEvery: 20,
  /** Milliseconds that a page may take to answer the close frame. */
  closePatience: 1_000,
  /** Characters per token: it travels in a header. */
  token: 4_000,
} as const
