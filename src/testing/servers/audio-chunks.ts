import { samplesIn, type AudioFrame } from '../../audio/index.ts'

/** Sound in one message of a server, in milliseconds. */
const PIECE = 100

/** Cuts a sound into what one message carries. */
export function* pieces({ samples, sampleRate }: AudioFrame): Generator<AudioFrame> {
  const size = samplesIn(PIECE, sampleRate)
  for (let at = 0; at < samples.length; at += size) {
    yield { samples: samples.subarray(at, at + size), sampleRate }
  }
}
