import { samplesIn, type AudioFrame } from '../../audio/index.ts'

/** The audio in one message of a server, in milliseconds. */
const CHUNK = 100

/** Splits audio into the chunks that a server sends in one message each. */
export function* audioChunks({ samples, sampleRate }: AudioFrame): Generator<AudioFrame> {
  const size = samplesIn(CHUNK, sampleRate)
  for (let at = 0; at < samples.length; at += size) {
    yield { samples: samples.subarray(at, at + size), sampleRate }
  }
}
