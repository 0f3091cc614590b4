import type { Llm, LlmChunk, LlmClient, LlmRequest, PartContext } from '../parts/index.ts'
import { PartLives, type PartCounts, type PartLife, type PartManners } from './part-life.ts'
import { never } from './world-time.ts'

/**
 * One thing that happens in an answer: text, a tool call, usage; a pause; a stall that lasts until the signal aborts;
 * an error.
 */
export type LlmStep =
  | string
  | LlmChunk
  | { readonly wait: number }
  | { readonly stall: true }
  | { readonly fail: unknown }

/** A whole answer. Plain text comes word by word. */
export type LlmAnswer = string | readonly LlmStep[]

export interface ScriptedLlmOptions extends PartManners {
  /** Answers in order, or a function of the request. When the list is used up, generating fails. */
  answers?: readonly LlmAnswer[] | ((request: LlmRequest, index: number) => LlmAnswer | Promise<LlmAnswer>)
  /** Milliseconds until the first chunk: 0 unless set. */
  firstAfter?: number
  /** Milliseconds between two chunks: 0 unless set. */
  every?: number
  /** Rude: it goes on after its signal has aborted, and a stall lasts for ever. */
  ignoresSignal?: boolean
}

/** How one generation went. */
export interface Generation {
  readonly request: LlmRequest
  /** What was given out. */
  readonly chunks: readonly LlmChunk[]
  readonly how: 'running' | 'completed' | 'cancelled' | 'failed' | 'left'
}

let calls = 0

/** A tool call for a script. */
export function callTool(name: string, input: unknown = {}, id: string = `call-${++calls}`): LlmChunk {
  return { type: 'tool-call', id, name, input: typeof input === 'string' ? input : JSON.stringify(input) }
}

/** Answers by script. */
export class ScriptedLlm implements Llm {
  readonly name: string
  readonly counts: PartCounts
  readonly generations: Generation[] = []
  readonly #lives: PartLives
  readonly #options: ScriptedLlmOptions
  readonly #answers: LlmAnswer[]

  constructor(options: ScriptedLlmOptions = {}) {
    this.#options = options
    this.#lives = new PartLives('llm', options)
    this.counts = this.#lives
    this.name = this.#lives.name
    this.#answers = typeof options.answers === 'function' ? [] : [...(options.answers ?? [])]
  }

  open(context: PartContext): Promise<LlmClient> {
    return this.#lives.open(context, (life) => ({
      generate: (request, signal) => this.#generate(life, request, signal),
    }))
  }

  get requests(): readonly LlmRequest[] {
    return this.generations.map(({ request }) => request)
  }

  /** How many answers are in the making. */
  get running(): number {
    return this.generations.filter(({ how }) => how === 'running').length
  }

  /** Adds to the script. */
  answers(...answers: readonly LlmAnswer[]): this {
    this.#answers.push(...answers)
    return this
  }

  async *#generate(life: PartLife, request: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmChunk> {
    const chunks: LlmChunk[] = []
    const generation: { -readonly [K in keyof Generation]: Generation[K] } = {
      request,
      chunks,
      how: 'running',
    }
    this.generations.push(generation)
    const heeded = this.#options.ignoresSignal ? undefined : signal
    try {
      heeded?.throwIfAborted()
      const steps = stepsOf(await this.#answer(request, this.generations.length - 1))
      for await (const chunk of this.#play(life, steps, heeded)) {
        chunks.push(chunk)
        yield chunk
      }
      generation.how = 'completed'
    } catch (error) {
      generation.how = heeded?.aborted ? 'cancelled' : 'failed'
      throw error
    } finally {
      if (generation.how === 'running') generation.how = 'left'
    }
  }

  async *#play(
    life: PartLife,
    steps: readonly LlmStep[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<LlmChunk> {
    const { firstAfter = 0, every = 0, ignoresSignal } = this.#options
    let delay = firstAfter
    for (const step of steps) {
      if (typeof step === 'object' && 'fail' in step) throw step.fail
      if (typeof step === 'object' && 'wait' in step) await life.wait(step.wait, 'thinks', signal)
      else if (typeof step === 'object' && 'stall' in step)
        await (ignoresSignal ? never() : life.stall('stalls', signal))
      else {
        if (delay > 0) await life.wait(delay, 'thinks', signal)
        signal?.throwIfAborted()
        yield typeof step === 'string' ? { type: 'text', text: step } : step
        delay = every
      }
    }
  }

  async #answer(request: LlmRequest, index: number): Promise<LlmAnswer> {
    const { answers } = this.#options
    if (typeof answers === 'function') return answers(request, index)
    const answer = this.#answers.shift()
    if (answer !== undefined) return answer
    throw new Error(`the script of '${this.name}' has no answer number ${index + 1}`)
  }
}

function stepsOf(answer: LlmAnswer): readonly LlmStep[] {
  return typeof answer === 'string' ? (answer.match(/\S+\s*/g) ?? []) : answer
}
