import {
  bytesFromSamples,
  decodeALaw,
  decodeMuLaw,
  encodeALaw,
  encodeMuLaw,
  samplesFromBytes,
  type SampleRate,
} from '../../audio/index.ts'
import type { OpenAIFormat } from './openai-session-config.ts'

interface Codec {
  readonly sampleRate: SampleRate
  readonly decode: (bytes: Uint8Array) => Int16Array
  readonly encode: (samples: Int16Array) => Uint8Array
}

const codecs: Readonly<Record<OpenAIFormat['type'], Codec>> = {
  'audio/pcm': { sampleRate: 24_000, decode: samplesFromBytes, encode: bytesFromSamples },
  'audio/pcmu': { sampleRate: 8000, decode: decodeMuLaw, encode: encodeMuLaw },
  'audio/pcma': { sampleRate: 8000, decode: decodeALaw, encode: encodeALaw },
}

/** PCM has another rate than 24 kHz with some vendors. */
export function rateOf(format: OpenAIFormat): SampleRate {
  return format.type === 'audio/pcm' ? format.rate : codecs[format.type].sampleRate
}

export function decodeAudio({ type }: OpenAIFormat, base64: string): Int16Array {
  return codecs[type].decode(Buffer.from(base64, 'base64'))
}

export function encodeAudio({ type }: OpenAIFormat, samples: Int16Array): string {
  return Buffer.from(codecs[type].encode(samples)).toString('base64')
}
