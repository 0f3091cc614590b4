/** Limits of RTVI messages, each with its reason (SC18). */
export const limits = {
  /** Characters per message to a client: some transports take 64 KiB at most, and a character may take up to 3 bytes. */
  message: 20_000,
  /** Characters of what a tool was given or has returned. It is shown, and not used. */
  tool: 4_000,
  /** Characters per typed text, and per name or id that a client chooses. */
  text: 10_000,
  name: 200,
  /** Keys per message. */
  keys: 100,
  /** Messages of a client that wait for the agent's answer. Each runs code of the agent. */
  requests: 20,
  /** Messages that wait for a client to be ready: the sentences of a greeting. */
  early: 100,
  /** Milliseconds between two reports on how much of a speech was heard. Playout is continuous: no event says that it has moved. */
  progress: 150,
} as const
