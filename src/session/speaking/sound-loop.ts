import {
  Resampler,
  asSampleRate,
  decodeWav,
  durationOf,
  type AudioFrame,
  type SampleRate,
} from '../../audio/index.ts'
import { isFrame } from '../../parts/index.ts'
import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import { limits } from '../limits.ts'

export interface SoundOptions {
  /** Played in a loop: audio, or the bytes of a WAV file, of which the first channel is used. At most five minutes. */
  sound: AudioFrame | Uint8Array
  /** From 0 to 1. Default: 0.3. */
  volume?: number
}

export interface ThinkingSoundOptions extends SoundOptions {
  /** How long the agent is silent before the sound begins, in milliseconds. Default: 1 s. */
  after?: number
}

/** Sounds that the caller hears besides the agent's voice (SND1). */
export interface SoundsOptions {
  /** Heard all the time, also under the voice: the noise of an office. Default: none. */
  background?: SoundOptions
  /** Heard while the agent thinks or uses a tool: typing. Default: none. */
  thinking?: ThinkingSoundOptions
}

const soundsNames: OptionNames<SoundsOptions> = { background: true, thinking: true }
const soundNames: OptionNames<SoundOptions> = { sound: true, volume: true }
const thinkingNames: OptionNames<ThinkingSoundOptions> = { ...soundNames, after: true }

/** Throws if the options of the sounds are wrong. */
export function checkSounds(options: SoundsOptions): void {
  checkOptions('Session: sounds', options, soundsNames)
  const { background, thinking } = options
  if (background) checkSound('background', background, soundNames)
  if (thinking) checkSound('thinking', thinking, thinkingNames)
}

function checkSound<T extends SoundOptions>(name: string, options: T, names: OptionNames<T>): void {
  const what = `Session: sounds.${name}`
  checkOptions(what, options, names)
  const { after = 0 }: Partial<ThinkingSoundOptions> = options
  if (!Number.isFinite(after) || after < 0)
    throw new OptionError(`${what}: after must be a finite number of milliseconds, 0 or more; it is ${after}`)
  checkLoop(what, options)
}

/** Throws if a sound cannot be played. */
export function checkLoop(what: string, { sound, volume = 0 }: SoundOptions): void {
  if (!(volume >= 0 && volume <= 1))
    throw new OptionError(`${what}: volume must be from 0 to 1; it is ${volume}`)
  const ms = durationOf(frameOf(sound))
  if (!(ms > 0 && ms <= limits.loop))
    throw new OptionError(`${what}: sound must be audio of up to ${limits.loop} ms; it has ${ms} ms`)
}

function frameOf(sound: AudioFrame | Uint8Array): AudioFrame {
  if (isFrame(sound)) return sound
  if (!(sound instanceof Uint8Array))
    throw new OptionError('a sound must be an AudioFrame, or the bytes of a WAV file as a Uint8Array')
  const { channels, sampleRate } = decodeWav(sound)
  return { samples: channels[0] ?? new Int16Array(), sampleRate: asSampleRate(sampleRate) }
}

/** Sounds at the rate of a line. Shared by all sessions that use the same sound. */
const converted = new WeakMap<AudioFrame | Uint8Array, Map<SampleRate, Int16Array>>()

function samplesOf(sound: AudioFrame | Uint8Array, sampleRate: SampleRate): Int16Array {
  const rates = converted.get(sound) ?? new Map<SampleRate, Int16Array>()
  converted.set(sound, rates)
  const known = rates.get(sampleRate)
  if (known) return known
  const frame = frameOf(sound)
  const resampler = new Resampler({ from: frame.sampleRate, to: sampleRate })
  const most = resampler.push(frame.samples)
  const rest = resampler.flush()
  const samples = new Int16Array(most.length + rest.length)
  samples.set(most)
  samples.set(rest, most.length)
  rates.set(sampleRate, samples)
  return samples
}

/** A sound that is repeated without end. */
export class SoundLoop {
  readonly #samples: Int16Array
  readonly #volume: number
  #at = 0

  constructor({ sound, volume = 0.3 }: SoundOptions, sampleRate: SampleRate) {
    this.#samples = samplesOf(sound, sampleRate)
    this.#volume = volume
  }

  /** Adds the next part of the sound to other samples, without wrapping around. */
  addTo(samples: Int16Array): void {
    const { length } = this.#samples
    for (let index = 0; index < samples.length; index++) {
      const sum = samples[index]! + Math.round(this.#samples[this.#at]! * this.#volume)
      samples[index] = Math.max(-32_768, Math.min(32_767, sum))
      this.#at = (this.#at + 1) % length
    }
  }
}
