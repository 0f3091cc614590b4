/** What a guardrail says of a text: nothing is fine; words say what is wrong with it. */
export type Verdict = string | undefined | void

/** Checks what somebody is saying, while it is being said. */
export type Guardrail = (
  text: string,
  context: { readonly signal: AbortSignal },
) => Verdict | PromiseLike<Verdict>

/** Guardrails by name. They run beside the conversation and stop it if they must (TL5). */
export interface Guardrails {
  /** On the user's finished turn. A verdict stops the reply and makes the agent answer with `refusal`. */
  input?: Readonly<Record<string, Guardrail>>
  /** On the agent's text, as it grows. A verdict stops the speech in the middle of a word. */
  output?: Readonly<Record<string, Guardrail>>
  /** What is said instead: 'I am sorry, I cannot help with that.' unless set. */
  refusal?: string
}

export const defaultRefusal = 'I am sorry, I cannot help with that.'

/** How much the agent's text must have grown before its guardrails look again, in characters. */
export const outputStep = 40
