import {
  bytesFromSamples,
  decodeMuLaw,
  encodeMuLaw,
  type AudioFrame,
  type SampleRate,
} from '../../audio/index.ts'
import { OptionError } from '../../scope/index.ts'
import { AudioDecoder } from '../vendor-message.ts'
import type { WireFormat } from './events.ts'

/**
 * How audio is sent, both ways.
 *
 * - `pcm`: 16 bits at 24 kHz
 * - `pcmu`: mu-law at 8 kHz, as on the phone: a sixth of the bytes, and nothing to resample
 */
export type OpenAIAudioFormat = 'pcm' | 'pcmu'

/** Throws if `format` is none. */
export function checkFormat(what: string, format: OpenAIAudioFormat): void {
  if (!Object.hasOwn(codecs, format))
    throw new OptionError(`${what}: the format is 'pcm' or 'pcmu', not '${format}'`)
}

export interface AudioCodec {
  readonly sampleRate: SampleRate
  readonly wire: WireFormat
  encode(samples: Int16Array): Uint8Array
  /** Returns a decoder for one stream of base64 audio. */
  decoder(): (base64?: string) => AudioFrame
}

export const codecs: Readonly<Record<OpenAIAudioFormat, AudioCodec>> = {
  pcm: {
    sampleRate: 24_000,
    wire: { type: 'audio/pcm', rate: 24_000 },
    encode: bytesFromSamples,
    decoder: () => {
      const decoder = new AudioDecoder()
      return (base64) => ({ samples: decoder.push(base64), sampleRate: 24_000 })
    },
  },
  pcmu: {
    sampleRate: 8_000,
    wire: { type: 'audio/pcmu' },
    encode: encodeMuLaw,
    decoder:
      () =>
      (base64 = '') => ({ samples: decodeMuLaw(Buffer.from(base64, 'base64')), sampleRate: 8_000 }),
  },
}
