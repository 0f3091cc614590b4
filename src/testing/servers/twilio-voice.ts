import { Resampler, asSampleRate, encodeMuLaw, type AudioFrame } from '../../audio/index.ts'

/** The mu-law byte for silence. */
const SILENCE = 0xff

/** Converts audio for a telephone: mu-law at 8 kHz. */
export function telephoneSound({ samples, sampleRate }: AudioFrame): Uint8Array {
  const resampler = new Resampler({ from: asSampleRate(sampleRate), to: 8000 })
  return Buffer.concat([encodeMuLaw(resampler.push(samples)), encodeMuLaw(resampler.flush())])
}

interface Utterance {
  readonly left: Uint8Array
  readonly done: () => void
}

/** The caller's voice: queued utterances, and silence in between. */
export class TwilioVoice {
  #utterances: Utterance[] = []
  #ended = false

  get speaking(): boolean {
    return this.#utterances.length > 0
  }

  /** Resolves when the sound was taken, or when the voice has ended. */
  say(sound: Uint8Array): Promise<void> {
    return new Promise((done) => {
      if (sound.length === 0 || this.#ended) done()
      else this.#utterances.push({ left: sound, done })
    })
  }

  /** Takes exactly this many bytes, filled up with silence. */
  take(count: number): Uint8Array {
    const bytes = new Uint8Array(count).fill(SILENCE)
    const [utterance] = this.#utterances
    if (!utterance) return bytes
    bytes.set(utterance.left.subarray(0, count))
    const left = utterance.left.subarray(count)
    if (left.length > 0) this.#utterances[0] = { ...utterance, left }
    else this.#utterances.shift()?.done()
    return bytes
  }

  /** Discards all utterances. */
  end(): void {
    this.#ended = true
    for (const { done } of this.#utterances) done()
    this.#utterances = []
  }
}
