import { pcm, type AudioFormat } from '../audio/index.ts'
import type { PartContext, Realtime, RealtimeEvents, RealtimeModel, RealtimeSetup } from '../parts/index.ts'
import { PartInstances, type PartCounts } from './part-instances.ts'
import type { RealtimeAnswer, RealtimeRecord, RealtimeTurn } from './realtime-record.ts'
import { Script, type LlmAnswer } from './script.ts'
import { ScriptedRealtimeModel } from './scripted-realtime-model.ts'
import { realtimeNames, type ScriptedRealtimeOptions } from './scripted-realtime-options.ts'
import { checkOptions } from '../scope/index.ts'

/**
 * A realtime model that answers by a script. It understands the speech of a `TestLine` caller, and `hear('book me in')`
 * simulates speech. `closeTakes` delays the acknowledgement of its close, and `closeHangs` omits it.
 */
export class ScriptedRealtime implements Realtime, RealtimeRecord {
  readonly name: string
  readonly hears: readonly AudioFormat[]
  readonly speaks: readonly AudioFormat[]
  readonly writes = true
  readonly counts: PartCounts
  readonly setups: Pick<RealtimeSetup, 'instructions' | 'tools'>[] = []
  readonly answersGiven: RealtimeAnswer[] = []
  /** The calls of `interrupt(response, heard)`. */
  readonly interruptions: { readonly response: string; readonly heard: number }[] = []
  /** Every tool result it has received. */
  readonly results: RealtimeTurn['results'][number][] = []
  /** Text messages of the user. */
  readonly texts: string[] = []
  readonly #instances: PartInstances
  readonly #options: ScriptedRealtimeOptions
  readonly #script: Script<RealtimeTurn>
  readonly #models = new Set<ScriptedRealtimeModel>()

  constructor(options: ScriptedRealtimeOptions = {}) {
    checkOptions('ScriptedRealtime', options, realtimeNames)
    this.#options = options
    this.#instances = new PartInstances('realtime', options, 'acknowledged')
    this.counts = this.#instances
    this.name = this.#instances.name
    this.hears = options.hears ?? [pcm(16_000)]
    this.speaks = options.speaks ?? [pcm(16_000)]
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

  /** Simulates speech of the user. The model answers if it takes turns. */
  hear(text: string): void {
    for (const model of this.#models) model.hear(text)
  }

  userStarts(): void {
    for (const model of this.#models) model.userStarts()
  }

  userStops(): void {
    for (const model of this.#models) model.userStops()
  }

  /** Makes the model stop its answer on its own. */
  stops(): void {
    for (const model of this.#models) model.stops()
  }

  /** Makes the model cancel a tool call. */
  cancelTool(id: string): void {
    for (const model of this.#models) model.cancelTool(id)
  }

  /** Breaks the connection for good. */
  drop(error: unknown = new Error('the connection to the realtime model broke')): void {
    for (const model of this.#models) model.drop(error)
  }
}
