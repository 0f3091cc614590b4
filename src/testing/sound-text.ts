import type { AudioFrame, SampleRate } from '../audio/index.ts'

/**
 * Words as sound, and back: the scripted voice speaks in it, the scripted ear understands it, and a test reads off
 * the line what the caller has really heard. One character is a plateau at the height of its code, and a mark ends it:
 * one that was cut off before its end was not heard. It survives any cutting into frames, but no resampling.
 */
const ZERO = 0x8000
/** The first code for private use: no text has it. */
const MARK = 0xe000 - ZERO

/** The sound of a text, `msPerCharacter` long for each of its UTF-16 units. */
export function soundOf(text: string, sampleRate: SampleRate, msPerCharacter: number): AudioFrame {
  const length = Math.max(2, Math.round((msPerCharacter * sampleRate) / 1000))
  const samples = new Int16Array(text.length * length)
  for (let index = 0; index < text.length; index++) {
    const end = (index + 1) * length
    samples.fill(text.charCodeAt(index) - ZERO, end - length, end - 1)
    samples[end - 1] = MARK
  }
  return { samples, sampleRate }
}

/** Reads text out of frames, however they were cut. */
export class SoundReader {
  #last: number | undefined

  /** The characters that end in these samples. */
  push(samples: Int16Array): string {
    let text = ''
    for (const sample of samples) {
      if (sample === MARK && this.#last !== undefined) text += String.fromCharCode(this.#last + ZERO)
      this.#last = sample === MARK ? undefined : sample
    }
    return text
  }
}

/** The text in a whole sound. */
export function textOf(frames: Iterable<AudioFrame>): string {
  const reader = new SoundReader()
  let text = ''
  for (const frame of frames) text += reader.push(frame.samples)
  return text
}
