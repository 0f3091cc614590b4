import type { OptionNames } from '../../scope/index.ts'

/** Why a guardrail objects to a text. Undefined if it does not object. */
export type Verdict = string | undefined | void

/** Checks what the user or the agent says. */
export type Guardrail = (
  text: string,
  context: { readonly signal: AbortSignal },
) => Verdict | PromiseLike<Verdict>

/** Guardrails by name. They run in parallel with the conversation, and interrupt it if they object (TL5). */
export interface Guardrails {
  /** Check the user's finished turn. A verdict stops the reply, and the agent says `refusal` instead. */
  input?: Readonly<Record<string, Guardrail>>
  /** Check the agent's text as it grows. A verdict stops the speech in the middle of a word. */
  output?: Readonly<Record<string, Guardrail>>
  /** What is said instead. Default: 'I am sorry, I cannot help with that.' */
  refusal?: string
}

export const guardrailNames: OptionNames<Guardrails> = {
  input: true,
  output: true,
  refusal: true,
}
