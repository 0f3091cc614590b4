import type { AudioFormat } from '../audio/index.ts'
import type { PartContext, TurnDetector, TurnJudge, UnfinishedTurn } from '../parts/index.ts'
import { PartInstances, mannerNames, type PartCounts, type PartManners } from './part-instances.ts'
import { never } from './never.ts'
import { checkOptions, type OptionNames } from '../scope/index.ts'

export interface ScriptedTurnDetectorOptions extends PartManners {
  /** The formats of the sound that it gets. Default: none, it judges by the words. */
  hears?: readonly AudioFormat[]
  /** The score for a text, from 0 to 1. Default: 1 if it ends with `.`, `!` or `?`, otherwise 0. */
  finished?: (text: string, turn: UnfinishedTurn) => number
  /** How long a judgement takes, in milliseconds. Default: 0. */
  takes?: number
  /** Every judgement rejects with this. */
  fails?: unknown
  /** Misbehaves: a judgement never settles and ignores its signal. */
  hangs?: boolean
}

const optionNames: OptionNames<ScriptedTurnDetectorOptions> = {
  ...mannerNames,
  hears: true,
  finished: true,
  takes: true,
  fails: true,
  hangs: true,
}

/** A turn detector that judges by a script. */
export class ScriptedTurnDetector implements TurnDetector {
  readonly name: string
  readonly hears?: readonly AudioFormat[]
  readonly counts: PartCounts
  /** The texts that were judged. */
  readonly judged: string[] = []
  /** What was judged last. */
  last: UnfinishedTurn | undefined
  readonly #instances: PartInstances
  readonly #options: ScriptedTurnDetectorOptions

  constructor(options: ScriptedTurnDetectorOptions = {}) {
    checkOptions('ScriptedTurnDetector', options, optionNames)
    this.#options = options
    this.#instances = new PartInstances('turn', options)
    this.counts = this.#instances
    this.name = this.#instances.name
    if (options.hears) this.hears = options.hears
  }

  open(context: PartContext): Promise<TurnJudge> {
    return this.#instances.open(context, (instance) => ({
      finished: async (turn, signal) => {
        const { text } = turn
        const { finished = endsWithMark, takes = 0, fails, hangs = false } = this.#options
        instance.check('judge', signal)
        this.judged.push(text)
        this.last = turn
        if (hangs) await never()
        if (takes > 0) await instance.wait(takes, 'judges', signal)
        if (fails !== undefined) throw fails
        return finished(text, turn)
      },
    }))
  }
}

function endsWithMark(text: string): number {
  return /[.!?…。！？]\s*$/u.test(text) ? 1 : 0
}
