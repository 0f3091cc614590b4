import { pcm, sampleRates, type AudioFrame } from '../../audio/index.ts'
import type { PartContext, SoundSetup, Vad, VadEvents, VadStream } from '../../parts/index.ts'
import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import { SpeechDetector, type SpeechDetectorOptions } from './speech-detector.ts'

export interface LocalVadOptions extends SpeechDetectorOptions {
  /** Default: `local-vad`. */
  readonly name?: string
}

const optionNames: OptionNames<LocalVadOptions> = {
  margin: true,
  minSpeech: true,
  hangover: true,
  name: true,
}

/**
 * Detects speech by its level, without a model or a key, in about 1 µs per frame. It adapts to the room, so that steady
 * noise, hum and clicks do not count as speech. Other voices in the room do.
 */
export class LocalVad implements Vad {
  readonly name: string
  readonly hears = sampleRates.map(pcm)
  readonly #options: LocalVadOptions

  constructor(options: LocalVadOptions = {}) {
    checkOptions('LocalVad', options, optionNames)
    this.name = options.name ?? 'local-vad'
    this.#options = options
    for (const option of ['margin', 'minSpeech', 'hangover'] as const) {
      const value = options[option]
      if (value === undefined || (Number.isFinite(value) && value > 0)) continue
      throw new OptionError(`${this.name}: ${option} must be a finite number above 0; it is ${value}`)
    }
  }

  async open(
    { scope }: PartContext,
    events: VadEvents,
    { format = pcm(16_000) }: Partial<SoundSetup> = {},
  ): Promise<VadStream> {
    return new LocalVadStream(new SpeechDetector(format.sampleRate, this.#options), events, scope)
  }
}

class LocalVadStream implements VadStream {
  readonly #detector: SpeechDetector
  readonly #events: VadEvents
  readonly #scope: PartContext['scope']

  constructor(detector: SpeechDetector, events: VadEvents, scope: PartContext['scope']) {
    this.#detector = detector
    this.#events = events
    this.#scope = scope
  }

  push({ samples }: AudioFrame): void {
    for (const { what, ago } of this.#detector.push(samples))
      if (this.#scope.state !== 'closed') this.#events[what](ago)
  }
}
