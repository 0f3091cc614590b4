import type { PartContext, Vad, VadEvents, VadStream } from '../../parts/index.ts'
import { OptionError } from '../../scope/index.ts'
import { SpeechDetector, type SpeechDetectorOptions } from './speech-detector.ts'

export interface LocalVadOptions extends SpeechDetectorOptions {
  /** `local-vad` unless set. */
  readonly name?: string
}

/**
 * Hears by loudness whether somebody speaks: no model, no key, about 2 µs a frame. It follows the loudness of the room,
 * so steady noise and hum are no speech to it, nor are clicks; other voices in the room are.
 */
export class LocalVad implements Vad {
  readonly name: string
  readonly sampleRate = 16_000
  readonly #options: LocalVadOptions

  constructor(options: LocalVadOptions = {}) {
    this.name = options.name ?? 'local-vad'
    this.#options = options
    for (const option of ['margin', 'minSpeech', 'hangover'] as const) {
      const value = options[option]
      if (value === undefined || (Number.isFinite(value) && value > 0)) continue
      throw new OptionError(`${this.name}: ${option} must be a finite number above 0; it is ${value}`)
    }
  }

  async open({ scope }: PartContext, events: VadEvents): Promise<VadStream> {
    const detector = new SpeechDetector(this.sampleRate, this.#options)
    return {
      push: ({ samples }) => {
        if (scope.state === 'closed') return
        for (const { what, ago } of detector.push(samples)) events[what](ago)
      },
    }
  }
}
