import type { Llm, LlmChunk, LlmClient, LlmRequest, PartContext } from '../parts/index.ts'
import type { PartInstance } from './part-instance.ts'
import { PartInstances, mannerNames, type PartCounts, type PartManners } from './part-instances.ts'
import { Script, type Answers, type LlmAnswer, type LlmStep } from './script.ts'
import { never } from './never.ts'
import { checkOptions, type OptionNames } from '../scope/index.ts'

export interface ScriptedLlmOptions extends PartManners {
  /** Answers in order, or a function of the request. Once the list is used up, generating fails. */
  answers?: Answers<LlmRequest>
  /** Milliseconds until the first chunk. Default: 0. */
  firstAfter?: number
  /** Milliseconds between two chunks. Default: 0. */
  every?: number
  /** Misbehaves: ignores its signal, even while it stalls. */
  ignoresSignal?: boolean
}

const optionNames: OptionNames<ScriptedLlmOptions> = {
  ...mannerNames,
  answers: true,
  firstAfter: true,
  every: true,
  ignoresSignal: true,
}

/** The record of one generation. `left` means that its consumer stopped reading. */
export interface Generation {
  readonly request: LlmRequest
  /** The chunks that were yielded. */
  readonly chunks: readonly LlmChunk[]
  readonly how: 'running' | 'completed' | 'cancelled' | 'failed' | 'left'
}

/** An LLM that answers by a script. */
export class ScriptedLlm implements Llm {
  readonly name: string
  readonly counts: PartCounts
  readonly generations: Generation[] = []
  readonly #instances: PartInstances
  readonly #options: ScriptedLlmOptions
  readonly #script: Script<LlmRequest>

  constructor(options: ScriptedLlmOptions = {}) {
    checkOptions('ScriptedLlm', options, optionNames)
    this.#options = options
    this.#instances = new PartInstances('llm', options)
    this.counts = this.#instances
    this.name = this.#instances.name
    this.#script = new Script(this.name, options.answers)
  }

  open(context: PartContext): Promise<LlmClient> {
    return this.#instances.open(context, (instance) => ({
      generate: (request, signal) => this.#generate(instance, request, signal),
    }))
  }

  get requests(): readonly LlmRequest[] {
    return this.generations.map(({ request }) => request)
  }

  /** The number of answers in progress. */
  get running(): number {
    return this.generations.filter(({ how }) => how === 'running').length
  }

  /** Adds to the script. */
  answers(...answers: readonly LlmAnswer[]): this {
    this.#script.add(answers)
    return this
  }

  async *#generate(
    instance: PartInstance,
    request: LlmRequest,
    signal: AbortSignal,
  ): AsyncGenerator<LlmChunk> {
    const chunks: LlmChunk[] = []
    const generation: { -readonly [K in keyof Generation]: Generation[K] } = {
      request,
      chunks,
      how: 'running',
    }
    this.generations.push(generation)
    const effectiveSignal = this.#options.ignoresSignal ? undefined : signal
    try {
      instance.check('generate', effectiveSignal)
      const steps = await this.#script.next(request)
      for await (const chunk of this.#play(instance, steps, effectiveSignal)) {
        chunks.push(chunk)
        yield chunk
      }
      generation.how = 'completed'
    } catch (error) {
      generation.how = effectiveSignal?.aborted ? 'cancelled' : 'failed'
      throw error
    } finally {
      if (generation.how === 'running') generation.how = 'left'
    }
  }

  async *#play(
    instance: PartInstance,
    steps: readonly LlmStep[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<LlmChunk> {
    const { firstAfter = 0, every = 0, ignoresSignal } = this.#options
    let delay = firstAfter
    for (const step of steps) {
      if (typeof step === 'object' && 'fail' in step) throw step.fail
      if (typeof step === 'object' && 'wait' in step) await instance.wait(step.wait, 'thinks', signal)
      else if (typeof step === 'object' && 'stall' in step)
        await (ignoresSignal ? never() : instance.stall('stalls', signal))
      else {
        if (delay > 0) await instance.wait(delay, 'thinks', signal)
        instance.check('generate', signal)
        yield this.#script.chunkOf(step)
        delay = every
      }
    }
  }
}
