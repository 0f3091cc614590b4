/** The limits of a hunt, each with its reason (SC18). Times are in milliseconds; virtual ones cost next to nothing. */
export const limits = {
  /** Events per wait: code that never stops must end some time. */
  events: 20_000,
  /** Lines of a story, and anchors. */
  story: 2_000,
  /** Virtual: how long the caller waits for an answer. Longer than the usual timeout of a tool. */
  turn: 40_000,
  /** Virtual: how long the agent's code may go on after the call before it counts as never ending. */
  afterwards: 60_000,
  /** Virtual: until a person approves a tool call. */
  approval: 400,
  /** Real: how long one call may wait for something real. */
  realTime: 5_000,
  /** Virtual: how long code may take to stop once its signal is aborted. */
  slowStop: 500,
  /** Virtual: how long a caller may wait in silence. */
  silence: 10_000,
  /** Real: for how long the event loop may be blocked. A caller hears a pause of 50 ms. */
  block: 50,
  /** Real: how long to wait for work that cannot be seen, once per function. */
  patience: 300,
  /** Real: how long to wait for work that can be seen, and for unseen work of functions that are known to wait for it. */
  longPatience: 1_000,
  /** Real: how long to wait for work that can be seen if that was in vain before. */
  shortPatience: 20,
  /** Real: how long something that was closed may take to be gone. */
  lingering: 300,
  /** Connections that the agent has left open. More of them are cut. */
  leftOpen: 50,
  /** Conversations, and tools in a row. */
  conversations: 40,
  path: 3,
  /** Real: how long replaying the findings may take. Those that are left are reported as they were found. */
  confirming: 60_000,
} as const
