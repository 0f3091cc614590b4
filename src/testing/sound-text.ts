import type { AudioFrame, SampleRate } from '../audio/index.ts'

/**
 * Text encoded as audio: `ScriptedTts` produces it, `ScriptedStt` understands it, and a `TestLine` reads from it what the
 * caller has heard. A character is a run of samples with the value of its code, ended by a mark, so a character that was
 * cut off was not heard. The encoding survives any division into frames, but no resampling.
 */
const ZERO = 0x8000
/** The first private-use code, which does not occur in text. */
const MARK = 0xe000 - ZERO

/** Encodes a text as audio. Each UTF-16 code unit takes `msPerCharacter` milliseconds. */
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

/** Decodes text from audio, however it is divided into frames. */
export class SoundReader {
  /** The sample before. */
  #last = MARK

  /** Returns the characters that end in these samples. */
  push(samples: Int16Array): string {
    let text = ''
    for (let at = samples.indexOf(MARK); at >= 0; at = samples.indexOf(MARK, at + 1)) {
      const last = at === 0 ? this.#last : samples[at - 1]!
      if (last !== MARK) text += String.fromCharCode(last + ZERO)
    }
    this.#last = samples.at(-1) ?? this.#last
    return text
  }
}

/** Decodes the text of a whole recording. */
export function textOf(frames: Iterable<AudioFrame>): string {
  const reader = new SoundReader()
  let text = ''
  for (const frame of frames) text += reader.push(frame.samples)
  return text
}
