import type { LlmChunk } from '../parts/index.ts'

/** A tool call in a script. Default id: `call-1`, `call-2`, … */
export interface ScriptedCall {
  readonly call: string
  /** Converted to JSON unless it is a string, so that a script can contain invalid JSON. */
  readonly input?: unknown
  readonly id?: string
}

/** One step of an answer: text, a tool call, any chunk, a pause, a stall until the signal aborts, or an error. */
export type LlmStep =
  | string
  | ScriptedCall
  | LlmChunk
  | { readonly wait: number }
  | { readonly stall: true }
  | { readonly fail: unknown }

/** A whole answer. Plain text is streamed word by word. */
export type LlmAnswer = string | readonly LlmStep[]

/** Answers in order, or a function that returns them. */
export type Answers<Request> =
  | readonly LlmAnswer[]
  | ((request: Request, index: number) => LlmAnswer | Promise<LlmAnswer>)

/** Creates a tool call for a script. */
export function callTool(name: string, input: unknown = {}, id?: string): ScriptedCall {
  return id === undefined ? { call: name, input } : { call: name, input, id }
}

/** A script is used up: a mistake in the test, so a session does not ask again. */
class ScriptError extends Error {
  readonly retryable = false
}

/** The answers of a scripted model. */
export class Script<Request> {
  readonly #name: string
  readonly #make: Exclude<Answers<Request>, readonly LlmAnswer[]> | undefined
  readonly #answers: LlmAnswer[]
  #asked = 0
  #calls = 0

  constructor(name: string, answers: Answers<Request> = []) {
    this.#name = name
    this.#make = typeof answers === 'function' ? answers : undefined
    this.#answers = typeof answers === 'function' ? [] : [...answers]
  }

  add(answers: readonly LlmAnswer[]): void {
    this.#answers.push(...answers)
  }

  /** Returns the steps of the next answer. Rejects when the script is used up. Added answers come before the function's. */
  async next(request: Request): Promise<readonly LlmStep[]> {
    const index = this.#asked++
    const answer = this.#answers.shift() ?? (await this.#make?.(request, index))
    if (answer === undefined)
      throw new ScriptError(`the script of '${this.#name}' has no answer number ${index + 1}`)
    return typeof answer === 'string' ? (answer.match(/^\s+|\S+\s*/g) ?? []) : answer
  }

  /** The chunk of a step. */
  chunkOf(step: string | ScriptedCall | LlmChunk): LlmChunk {
    if (typeof step === 'string') return { type: 'text', text: step }
    if (!('call' in step)) return step
    const { call: name, input = {}, id = `call-${++this.#calls}` } = step
    return { type: 'tool-call', id, name, input: typeof input === 'string' ? input : JSON.stringify(input) }
  }
}
