/** Limits of a session, with their reasons (SC18). An agent that reaches one has a mistake in it, or a model runs away. */
export const limits = {
  /** Speeches that wait to be spoken. The last of 100 would be heard minutes later. */
  queuedSpeeches: 100,
  /** Characters of one speech: about two hours. A model that does not stop must not fill memory. */
  speechText: 100_000,
  /** Chunks of an answer that is prepared before the turn has certainly ended. Nothing reads them until then. */
  preparedChunks: 10_000,
  /** Milliseconds of sound of one speech. A voice that does not stop must not fill the line. */
  speechSound: 20 * 60_000,
  /** Milliseconds of a background sound, which is kept in memory. */
  loop: 5 * 60_000,
  /** Tool calls in one response of a model. The rest of the response is not read. */
  toolCalls: 64,
  /** Characters of vendor data in one answer: signatures and thoughts that only the model reads. The rest is dropped. */
  vendorData: 256 * 1024,
  /** Handoffs and nested tasks without a turn of the caller in between. Agents that hand over in a circle must stop. */
  handoffs: 10,
  /** How long a handoff waits for the agent to finish speaking, in milliseconds. */
  handoffWait: 120_000,
  /** Guardrails that run at once. Beyond that, a check of the agent's words waits for the next piece of text. */
  guardrails: 32,
  /** How long a filter may hold a frame, in milliseconds, and how many it may hold. The caller waits for its answer meanwhile. */
  filterDelay: 200,
  filterFrames: 50,
  /** How much sound of a turn a turn detector gets, in milliseconds, and how much of it from before the turn. */
  turnSound: 8_000,
  turnPreRoll: 500,
  /** How long a person to whom a call is transferred may be rung, in milliseconds: by default, and at most. */
  ringTimeout: 30_000,
  longestRing: 600_000,
  /** How much longer the line may take to report the outcome. */
  transferSlack: 30_000,
  /** Characters of the reason that a line gives for a transfer that failed. */
  why: 300,
  /** How long a line may take to confirm that a call is recorded, or not: a few requests to its carrier. */
  recordCall: 15_000,
  /** The same for a warm transfer, in which both calls are moved, and perhaps brought back. */
  warmSlack: 150_000,
  /** How long the agent may talk to that person before the caller does, in milliseconds: by default, and at most. */
  consultation: 120_000,
  longestConsultation: 600_000,
  /** Characters of the conversation that the model gets for that. */
  consultationText: 20_000,
  /** How long a caller is on hold, unless set, in milliseconds. A hold that nobody ends must not last for ever. */
  hold: 600_000,
  /** How long an agent may take to answer a message of the caller's program, in milliseconds. Some programs give up after 10 s. */
  messageAnswer: 9_000,
  /** Texts and keys that are kept while a session starts: more than anyone types in seconds. */
  earlyInput: 50,
  /** Errors and guardrail verdicts in a report; the rest is counted. */
  reported: 100,
  /** Models whose usage is reported separately. That of further ones is reported together, as that of `other`. */
  models: 50,
  /** Replies, speeches and handoffs that may begin within 100 ms before each further one lets the event loop turn. */
  burst: 100,
} as const
