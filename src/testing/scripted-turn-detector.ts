import type { PartContext, TurnDetector, TurnJudge } from '../parts/index.ts'
import { PartInstances, type PartCounts, type PartManners } from './part-instances.ts'
import { never } from './never.ts'

export interface ScriptedTurnDetectorOptions extends PartManners {
  /** From 0 to 1: whether the user has finished. 1 after a full stop, a question or an exclamation mark unless set. */
  finished?: (text: string) => number
  /** Milliseconds that a judgement takes: 0 unless set. */
  takes?: number
  /** Every judgement fails with this. */
  fails?: unknown
  /** Rude: a judgement never comes, and its signal is ignored. */
  hangs?: boolean
}

/** Judges by script whether the user has finished. */
export class ScriptedTurnDetector implements TurnDetector {
  readonly name: string
  readonly counts: PartCounts
  /** What it had to judge. */
  readonly judged: string[] = []
  readonly #instances: PartInstances
  readonly #options: ScriptedTurnDetectorOptions

  constructor(options: ScriptedTurnDetectorOptions = {}) {
    this.#options = options
    this.#instances = new PartInstances('turn', options)
    this.counts = this.#instances
    this.name = this.#instances.name
  }

  open(context: PartContext): Promise<TurnJudge> {
    return this.#instances.open(context, (instance) => ({
      finished: async (text, signal) => {
        const { finished = endsWithMark, takes = 0, fails, hangs = false } = this.#options
        instance.check('judge', signal)
        this.judged.push(text)
        if (hangs) await never()
        if (takes > 0) await instance.wait(takes, 'judges', signal)
        if (fails !== undefined) throw fails
        return finished(text)
      },
    }))
  }
}

function endsWithMark(text: string): number {
  return /[.!?…。！？]\s*$/u.test(text) ? 1 : 0
}
