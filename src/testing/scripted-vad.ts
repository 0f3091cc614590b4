import { pcm, type AudioFormat, type AudioFrame } from '../audio/index.ts'
import type { PartContext, Vad, VadEvents, VadStream } from '../parts/index.ts'
import type { PartInstance } from './part-instance.ts'
import { PartInstances, mannerNames, type PartCounts, type PartManners } from './part-instances.ts'
import { checkOptions, type OptionNames } from '../scope/index.ts'

export interface ScriptedVadOptions extends PartManners {
  /** Default: PCM of 16 kHz. */
  hears?: readonly AudioFormat[]
  /** Detects speech by loudness. False for explicit calls only. Default: on. */
  energy?: false | { threshold?: number; onset?: number; hangover?: number }
}

const optionNames: OptionNames<ScriptedVadOptions> = {
  ...mannerNames,
  hears: true,
  energy: true,
}

/**
 * A VAD that is controlled by calls, and otherwise detects speech by loudness: speech starts after `onset` (60 ms) of
 * samples above `threshold` (100), and stops after `hangover` (200 ms) without any.
 */
export class ScriptedVad implements Vad {
  readonly name: string
  readonly hears: readonly AudioFormat[]
  readonly counts: PartCounts
  readonly #instances: PartInstances
  readonly #options: ScriptedVadOptions
  readonly #streams = new Set<ScriptedVadStream>()

  constructor(options: ScriptedVadOptions = {}) {
    checkOptions('ScriptedVad', options, optionNames)
    this.#options = options
    this.#instances = new PartInstances('vad', options)
    this.counts = this.#instances
    this.name = this.#instances.name
    this.hears = options.hears ?? [pcm(16_000)]
  }

  open(context: PartContext, events: VadEvents): Promise<VadStream> {
    return this.#instances.open(context, (instance) => {
      const stream = new ScriptedVadStream(instance, events, this.#options.energy ?? {})
      this.#streams.add(stream)
      instance.onEnd(() => this.#streams.delete(stream))
      return stream
    })
  }

  /** Reports the start of speech. */
  starts(ago = 0): void {
    for (const stream of this.#streams) stream.report('started', ago)
  }

  stops(ago = 0): void {
    for (const stream of this.#streams) stream.report('stopped', ago)
  }

  /** Fails all streams, as when a worker dies. */
  fails(error: unknown = new Error('the VAD failed')): void {
    for (const stream of this.#streams) stream.fail(error)
  }
}

class ScriptedVadStream implements VadStream {
  readonly #instance: PartInstance
  readonly #events: VadEvents
  readonly #energy: ScriptedVadOptions['energy']
  #speaking = false
  #failed = false
  /** For how many milliseconds the audio has contradicted `#speaking`. */
  #contradiction = 0

  constructor(instance: PartInstance, events: VadEvents, energy: ScriptedVadOptions['energy']) {
    this.#instance = instance
    this.#events = events
    this.#energy = energy
  }

  push(frame: AudioFrame): void {
    if (!this.#energy) return
    const { threshold = 100, onset = 60, hangover = 200 } = this.#energy
    const loud = frame.samples.some((sample) => Math.abs(sample) > threshold)
    const ms = (frame.samples.length * 1000) / frame.sampleRate
    this.#contradiction = loud === this.#speaking ? 0 : this.#contradiction + ms
    if (this.#contradiction >= (this.#speaking ? hangover : onset) && this.#contradiction > 0)
      this.report(this.#speaking ? 'stopped' : 'started', this.#contradiction)
  }

  report(what: 'started' | 'stopped', ago: number): void {
    const speaking = what === 'started'
    if (this.#failed || this.#instance.ended || speaking === this.#speaking) return
    this.#speaking = speaking
    this.#contradiction = 0
    this.#events[what](ago)
  }

  fail(error: unknown): void {
    if (this.#failed || this.#instance.ended) return
    this.#failed = true
    this.#events.failed(error)
  }
}
