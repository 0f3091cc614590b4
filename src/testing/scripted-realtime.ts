import type { SampleRate } from '../audio/index.ts'
import type { PartContext, Realtime, RealtimeEvents, RealtimeModel, RealtimeSetup } from '../parts/index.ts'
import { PartInstances, type PartCounts } from './part-instances.ts'
import type { RealtimeAnswer, RealtimeRecord, RealtimeTurn } from './realtime-record.ts'
import { Script, type LlmAnswer } from './script.ts'
import { ScriptedRealtimeModel } from './scripted-realtime-model.ts'
import type { ScriptedRealtimeOptions } from './scripted-realtime-options.ts'

/**
 * A model that hears and speaks by script. It understands the words of a `TestLine` caller by ear, or is told by
 * `hear('book me in')`. `closeTakes` is how long its acknowledged end takes; `closeHangs` never acknowledges.
 */
export class ScriptedRealtime implements Realtime, RealtimeRecord {
  readonly name: string
  readonly inputRate: SampleRate
  readonly outputRate: SampleRate
  readonly counts: PartCounts
  readonly setups: Pick<RealtimeSetup, 'instructions' | 'tools'>[] = []
  readonly answersGiven: RealtimeAnswer[] = []
  /** What it was told by `interrupt(response, heard)`. */
  readonly interruptions: { readonly response: string; readonly heard: number }[] = []
  /** Every tool result it was given. */
  readonly results: RealtimeTurn['results'][number][] = []
  /** Messages of the user without sound. */
  readonly texts: string[] = []
  readonly #instances: PartInstances
  readonly #options: ScriptedRealtimeOptions
  readonly #script: Script<RealtimeTurn>
  readonly #models = new Set<ScriptedRealtimeModel>()

  constructor(options: ScriptedRealtimeOptions = {}) {
    this.#options = options
    this.#instances = new PartInstances('realtime', options, 'acknowledged')
    this.counts = this.#instances
    this.name = this.#instances.name
    this.inputRate = options.inputRate ?? 16_000
    this.outputRate = options.outputRate ?? 16_000
    this.#script = new Script(this.name, options.answers)
  }

  open(context: PartContext, setup: RealtimeSetup, events: RealtimeEvents): Promise<RealtimeModel> {
    return this.#instances.open(context, (instance) => {
      const model = new ScriptedRealtimeModel(this, instance, setup, events, this.#script, this.#options)
      this.#models.add(model)
      instance.onEnd(() => this.#models.delete(model))
      return model
    })
  }

  /** Adds to the script. */
  answers(...answers: readonly LlmAnswer[]): this {
    this.#script.add(answers)
    return this
  }

  /** The user says something; the model answers if it takes turns. */
  hear(text: string): void {
    for (const model of this.#models) model.hear(text)
  }

  userStarts(): void {
    for (const model of this.#models) model.userStarts()
  }

  userStops(): void {
    for (const model of this.#models) model.userStops()
  }

  /** It stops its answer by itself. */
  stops(): void {
    for (const model of this.#models) model.stops()
  }

  /** It does not want a tool's result any more. */
  cancelTool(id: string): void {
    for (const model of this.#models) model.cancelTool(id)
  }

  /** The connection breaks, and cannot be resumed. */
  drop(error: unknown = new Error('the realtime model is gone')): void {
    for (const model of this.#models) model.drop(error)
  }
}
