import type { SampleRate } from './frame.ts'

/** How samples become bytes: 16 bit little-endian PCM, or one of the two companding laws of the telephone (G.711). */
export type Encoding = 'pcm' | 'mulaw' | 'alaw'

/** A format that a part can take or make. */
export interface AudioFormat {
  readonly encoding: Encoding
  readonly sampleRate: SampleRate
}

/** 16 bit PCM. */
export function pcm(sampleRate: SampleRate): AudioFormat {
  return { encoding: 'pcm', sampleRate }
}

/** Telephones in North America and Japan, and all carriers of `TwilioCalls`. */
export const muLaw: AudioFormat = Object.freeze({ encoding: 'mulaw', sampleRate: 8000 })

/** Telephones in the rest of the world. */
export const aLaw: AudioFormat = Object.freeze({ encoding: 'alaw', sampleRate: 8000 })

/**
 * Chooses from `offered` the format for sound that has, or must get, the format `wanted`. Formats that lose nothing come
 * first, the cheapest to convert among them first: the same format, PCM of the same rate, PCM of the lowest higher rate.
 * Then come formats that lose something, the ones that lose least first. The order of `offered` does not matter.
 */
export function nearestFormat(wanted: AudioFormat, offered: readonly AudioFormat[]): AudioFormat {
  return offered.reduce((best, each) => (distance(wanted, each) < distance(wanted, best) ? each : best))
}

/** Whether two formats are the same. */
export function sameFormat(one: AudioFormat, other: AudioFormat): boolean {
  return one.encoding === other.encoding && one.sampleRate === other.sampleRate
}

/** More than any sample rate. */
const LOSSY = 100_000
const LOW = 200_000

function distance(wanted: AudioFormat, offered: AudioFormat): number {
  if (sameFormat(wanted, offered)) return -1
  const higher = offered.sampleRate - wanted.sampleRate
  // Mu-law keeps one bit more.
  const companded = { pcm: 0, mulaw: 1, alaw: 2 }[offered.encoding]
  if (higher < 0) return LOW - higher + companded
  return (companded ? LOSSY : 0) + higher + companded
}
