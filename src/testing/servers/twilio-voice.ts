import { Resampler, asSampleRate, encodeMuLaw, type AudioFrame } from '../../audio/index.ts'

/** Mu-law's silence. */
const SILENCE = 0xff

/** Sound as a telephone carries it: mu-law at 8 kHz. */
export function telephoneSound({ samples, sampleRate }: AudioFrame): Uint8Array {
  const resampler = new Resampler({ from: asSampleRate(sampleRate), to: 8000 })
  return Buffer.concat([encodeMuLaw(resampler.push(samples)), encodeMuLaw(resampler.flush())])
}

interface Saying {
  readonly left: Uint8Array
  readonly done: () => void
}

/** What a caller says, one thing after the other, with silence around it. */
export class TwilioVoice {
  #sayings: Saying[] = []
  #ended = false

  get speaking(): boolean {
    return this.#sayings.length > 0
  }

  /** Resolves when it was said, or will not be. */
  say(sound: Uint8Array): Promise<void> {
    return new Promise((done) => {
      if (sound.length === 0 || this.#ended) done()
      else this.#sayings.push({ left: sound, done })
    })
  }

  /** The next bytes of the caller: always so many, as a microphone gives them. */
  take(count: number): Uint8Array {
    const bytes = new Uint8Array(count).fill(SILENCE)
    const [saying] = this.#sayings
    if (!saying) return bytes
    bytes.set(saying.left.subarray(0, count))
    const left = saying.left.subarray(count)
    if (left.length > 0) this.#sayings[0] = { ...saying, left }
    else this.#sayings.shift()?.done()
    return bytes
  }

  /** Nobody says anything any more. */
  end(): void {
    this.#ended = true
    for (const { done } of this.#sayings) done()
    this.#sayings = []
  }
}
