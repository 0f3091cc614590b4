import { AudioError } from './errors.ts'

/** Supported sample rates: telephone, speech models, realtime models, WebRTC. */
export const sampleRates = [8000, 16000, 24000, 48000] as const

/** Samples per second. */
export type SampleRate = (typeof sampleRates)[number]

/** A stretch of mono sound, 16 bit signed PCM. Frames may share memory: never write into one. */
export interface AudioFrame {
  readonly samples: Int16Array
  readonly sampleRate: SampleRate
  /** The same sound as it came over the telephone. Parts that take this encoding send it on: see `bytesOf`. */
  readonly encoded?: EncodedSound
}

/** Sound in G.711: one byte per sample. */
export interface EncodedSound {
  readonly encoding: 'mulaw' | 'alaw'
  readonly bytes: Uint8Array
}

/** The level of digital silence: finite, so that it can be averaged, compared and written as JSON. */
export const silentLevel = -120

/** Checks a sample rate from outside, such as a file or a handshake. Throws if it is not supported. */
export function asSampleRate(rate: number): SampleRate {
  const known = sampleRates.find((each) => each === rate)
  if (known !== undefined) return known
  throw new AudioError(
    'BAD_SAMPLE_RATE',
    `cannot work with ${rate} samples per second: use one of ${sampleRates.join(', ')}`,
  )
}

/** The number of samples in `ms`, rounded to the nearest. */
export function samplesIn(ms: number, sampleRate: SampleRate): number {
  if (ms >= 0 && ms < Infinity) return Math.round((ms * sampleRate) / 1000)
  throw new AudioError('BAD_DURATION', `a sound cannot last ${ms} ms: give a finite number, 0 or more`)
}

/** The number of samples in a frame. Does not decode it. */
export function lengthOf(frame: AudioFrame): number {
  return frame.encoded ? frame.encoded.bytes.length : frame.samples.length
}

/** The duration of a frame, in milliseconds. */
export function durationOf(frame: AudioFrame): number {
  return (lengthOf(frame) * 1000) / frame.sampleRate
}

/** A frame of silence. */
export function silence(ms: number, sampleRate: SampleRate): AudioFrame {
  return { samples: new Int16Array(samplesIn(ms, sampleRate)), sampleRate }
}

/** Concatenates frames. Takes the rate as a parameter because there may be no frame. */
export function concat(frames: readonly AudioFrame[], sampleRate: SampleRate): AudioFrame {
  let length = 0
  for (const frame of frames) {
    if (frame.sampleRate !== sampleRate) {
      throw new AudioError(
        'MIXED_SAMPLE_RATES',
        `cannot add a frame of ${frame.sampleRate} Hz to a sound of ${sampleRate} Hz: resample it first`,
      )
    }
    length += frame.samples.length
  }

  const samples = new Int16Array(length)
  let at = 0
  for (const frame of frames) {
    samples.set(frame.samples, at)
    at += frame.samples.length
  }
  return { samples, sampleRate }
}

/** Root mean square, 0 to 1, where 1 is full scale. 0 for no samples. */
export function rms(samples: Int16Array): number {
  if (samples.length === 0) return 0
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length) / 32768
}

/** Level in dBFS: a full-scale square wave is 0, a full-scale sine -3, silence {@link silentLevel}. */
export function level(samples: Int16Array): number {
  return Math.max(silentLevel, 20 * Math.log10(rms(samples)))
}
