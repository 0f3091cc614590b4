import type { LlmChunk } from '../parts/index.ts'

/** A tool call in a script. The model gives it an id, counting from `call-1`, unless it has one. */
export interface ScriptedCall {
  readonly call: string
  /** JSON if it is no string already: so a script can have a wrong one. */
  readonly input?: unknown
  readonly id?: string
}

/**
 * One thing that happens in an answer: text, a tool call, a chunk as it is; a pause; a stall that lasts until the signal
 * aborts; an error.
 */
export type LlmStep =
  | string
  | ScriptedCall
  | LlmChunk
  | { readonly wait: number }
  | { readonly stall: true }
  | { readonly fail: unknown }

/** A whole answer. Plain text comes word by word. */
export type LlmAnswer = string | readonly LlmStep[]

/** Answers in order, or a function that makes them. */
export type Answers<Request> =
  | readonly LlmAnswer[]
  | ((request: Request, index: number) => LlmAnswer | Promise<LlmAnswer>)

/** A tool call for a script. */
export function callTool(name: string, input: unknown = {}, id?: string): ScriptedCall {
  return id === undefined ? { call: name, input } : { call: name, input, id }
}

/** What a scripted model will answer. */
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

  /** The steps of the next answer; throws when the script is used up. What was added goes before what is made. */
  async next(request: Request): Promise<readonly LlmStep[]> {
    const index = this.#asked++
    const answer = this.#answers.shift() ?? (await this.#make?.(request, index))
    if (answer === undefined)
      throw new Error(`the script of '${this.#name}' has no answer number ${index + 1}`)
    return typeof answer === 'string' ? (answer.match(/^\s+|\S+\s*/g) ?? []) : answer
  }

  /** What a step gives out. */
  chunkOf(step: string | ScriptedCall | LlmChunk): LlmChunk {
    if (typeof step === 'string') return { type: 'text', text: step }
    if (!('call' in step)) return step
    const { call: name, input = {}, id = `call-${++this.#calls}` } = step
    return { type: 'tool-call', id, name, input: typeof input === 'string' ? input : JSON.stringify(input) }
  }
}
