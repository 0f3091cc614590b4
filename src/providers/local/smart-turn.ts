import { existsSync } from 'node:fs'
import { concat, pcm } from '../../audio/index.ts'
import type { PartContext, TurnDetector, TurnJudge } from '../../parts/index.ts'
import { checkOptions, iterate, OptionError, SignalStop, type OptionNames } from '../../scope/index.ts'
import { LocalError } from './errors.ts'
import { checkPackage } from './require-package.ts'
import type { SmartTurnData } from './smart-turn-thread.ts'
import { WorkerThread } from './worker-thread.ts'

const PACKAGE = 'onnxruntime-web'

export interface SmartTurnOptions {
  /** The path of the model file: Smart Turn, version 3. */
  readonly model: string
  /** Default: `smart-turn`. */
  readonly name?: string
}

const optionNames: OptionNames<SmartTurnOptions> = { model: true, name: true }

/**
 * Judges by the sound whether the user has finished, with the Smart Turn model, without a key, with the optional package
 * `onnxruntime-web`. It hears what words do not tell: a voice that falls, or one that hesitates. The text is not used, so it
 * works in every language that the model knows.
 *
 * Every call has its own thread. One idle thread is kept for the next call.
 *
 * ```ts
 * const turnDetector = new SmartTurn({ model: 'models/smart-turn-v3.onnx' })
 * const session = new Session({ agent, models: { vad, stt, llm, tts, turnDetector }, line })
 * ```
 */
export class SmartTurn implements TurnDetector {
  readonly name: string
  readonly hears = [pcm(16_000)]
  readonly #model: string

  /** Throws `OptionError` if there is no such file, and `ENGINE_MISSING` without the package. */
  constructor(options: SmartTurnOptions) {
    checkOptions('SmartTurn', options, optionNames)
    this.name = options.name ?? 'smart-turn'
    this.#model = options.model
    // Not in `open`: a missing file or package must be reported when the program starts, not in the first call (HO11).
    if (!existsSync(this.#model)) throw new OptionError(`${this.name}: there is no model file ${this.#model}`)
    checkPackage(PACKAGE, this.name)
  }

  async open({ scope }: PartContext): Promise<TurnJudge> {
    const { name } = this
    const data: SmartTurnData = { model: this.#model }
    const thread = await WorkerThread.open<Int16Array, number>(scope, {
      name,
      file: 'smart-turn-thread',
      data,
      stateless: true,
      setUpError: ({ message }) =>
        new LocalError('ENGINE_FAILED', `${name}: ${this.#model} is not a Smart Turn model: ${message}`),
    })
    return {
      finished: async ({ sound }, signal) => {
        const samples = Int16Array.from(concat(sound, 16_000).samples)
        const stop = new SignalStop(signal, scope)
        try {
          let probability: number | undefined
          // To the end, after which the thread is idle.
          for await (const each of iterate(thread.process(samples, [samples.buffer]), stop))
            probability = each
          if (probability !== undefined) return probability
          throw new LocalError('ENGINE_FAILED', `'${name}' returned no result`)
        } finally {
          stop.release()
        }
      },
    }
  }
}
