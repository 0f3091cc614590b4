/** Limits of the WebRTC line that no option sets, each with its reason (SC18). */
export const limits = {
  /**
   * Connections per thread. A connection has two codecs, and the module of the codecs has memory for 150. More threads than needed
   * cost 30 MB each; fewer lose more calls if one dies.
   */
  perThread: 16,
  /** Warnings per thread about packets that could not be handled: a client can cause any number. */
  warnings: 10,
  /** Milliseconds to wait for a packet of sound that is missing. */
  patience: 60,
  /** Milliseconds of a gap in the sound that become silence. A longer gap is not heard: the caller was muted, or away. */
  gap: 1_000,
  /** Packets of sound from a client. Browsers send 50 per second, and 100 if they are asked to. */
  packets: { perSecond: 120, burst: 240 },
  /** Pieces of sound that may wait in the thread. A call sends 100 ms ahead, so more than a second means that it is out of step. */
  pieces: 100,
  /** Milliseconds that packets may be late. What is missed beyond that is sent later, and not faster. */
  late: 60,
  /** Packets of silence to send after a sound, 20 ms each: the client's buffer is empty then, and nothing of the sound is left. */
  tail: 5,
  /** Milliseconds after the last sign of life for which sound still counts as heard: pings come once per second. */
  quiet: 1_200,
  /** Milliseconds that sound may wait in a page, as the page says. A browser's buffer holds at most about a second. */
  waits: 2_000,
  /** Messages, and pieces of sound, from a client. Per second: 50 of sound, one ping, and room to catch up. */
  messages: { perSecond: 200, burst: 1_000 },
  /** Bytes per message of the data channel, in both directions. */
  message: 64 * 1024,
  /** Bytes that wait for a client that does not read, before it is cut off. */
  unread: 1024 * 1024,
  /** Milliseconds of sound to send ahead, which a clear cannot fetch back: for how long this thread may be busy without a gap. */
  ahead: 100,
  /** Milliseconds of sound per piece, and between two looks for sound that is due. */
  piece: 20,
  resendEvery: 20,
  /** Milliseconds of sound that came before its time that are still heard. */
  catchUp: 1_000,
  /** Milliseconds that a client has to disconnect by itself, after it was told that the agent has left. */
  farewell: 500,
  /** Milliseconds that werift may take to end a connection: it sends its last packets. */
  endPatience: 500,
  /** Milliseconds that a thread may take to say that a connection has ended. One that takes longer is blocked, and is ended. */
  closePatience: 1_000,
  /** Milliseconds that a thread may take to exit before it is interrupted, and again before it is terminated. */
  exitPatience: 1_000,
  /** Milliseconds for which the token of a call is good: a client connects right after it got the token. */
  token: 60_000,
  /** Characters per token, which has the data of the request in it. */
  tokenLength: 4_000,
  /** Started calls whose token is kept for clients that know only the id of the call. One takes up to 4 KB. */
  started: 1_000,
  /** Bytes per request: an offer of a browser with video has 8 KB. */
  body: 64 * 1024,
  /** Sections of an offer. A client has one for sound, up to two for video, and one for messages. */
  sections: 8,
  /** Milliseconds that another process may take to answer a request: it may have to start a thread, and to list ICE servers. */
  passing: 12_000,
  /** Milliseconds that a thread may take to answer an offer. One that has just started loads its packages. */
  answering: 15_000,
  /** Milliseconds that STUN and TURN servers of this server have to find candidates. The client waits for the answer. */
  gathering: 2_000,
  /** Milliseconds that a function may take to list ICE servers. A client gives up soon after that. */
  listing: 5_000,
  /** Candidates per connection. Each is an address that this server sends packets to. */
  candidates: 64,
} as const
