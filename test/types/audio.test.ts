import { describe, expect, expectTypeOf, it } from 'vitest'

import {
  AudioError,
  Framer,
  PlayoutClock,
  Resampler,
  asSampleRate,
  checkKeys,
  concat,
  decodeWav,
  dtmfFrequencies,
  keyDuration,
  keyIn,
  keySound,
  keysHeard,
  keysIn,
  sampleRates,
  samplesIn,
  silence,
  sine,
  wavHeader,
  type AudioFrame,
  type Heard,
  type SampleRate,
} from '../../src/audio/index.ts'
import { EndwellError, type ErrorCode } from '../../src/scope/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const frame: AudioFrame

describe('a sample rate', () => {
  it('is one of the four that endwell resamples', () =>
    types(() => {
      expectTypeOf<SampleRate>().toEqualTypeOf<8_000 | 16_000 | 24_000 | 48_000>()
      expectTypeOf(sampleRates).toEqualTypeOf<readonly [8_000, 16_000, 24_000, 48_000]>()
      // @ts-expect-error 44.1 kHz is not supported
      silence(20, 44_100)
      // @ts-expect-error 22.05 kHz is not supported
      return new Resampler({ from: 22_050, to: 16_000 })
    }))

  it('is checked at run time when it is any number', () =>
    types((rate = 16_000 as number) => {
      expectTypeOf(asSampleRate(rate)).toEqualTypeOf<SampleRate>()
      // @ts-expect-error not every number is a sample rate
      samplesIn(20, rate)
      // A WAV file may have any rate.
      expectTypeOf(decodeWav(new Uint8Array()).sampleRate).toEqualTypeOf<number>()
    }))
})

describe('an audio frame', () => {
  it('cannot be relabelled with another rate or other samples', () =>
    types(() => {
      expectTypeOf(frame.samples).toEqualTypeOf<Int16Array>()
      // @ts-expect-error the rate is read-only
      frame.sampleRate = 8_000
      // @ts-expect-error the samples are replaced by a new frame
      frame.samples = new Int16Array()
      // @ts-expect-error samples are 16-bit integers
      const floats: AudioFrame = { samples: new Float32Array(), sampleRate: 16_000 }
      return floats
    }))

  it('is what generators and framers return', () =>
    types(() => {
      expectTypeOf(silence(20, 16_000)).toEqualTypeOf<AudioFrame>()
      expectTypeOf(sine(440, { sampleRate: 16_000, duration: 20 })).toEqualTypeOf<AudioFrame>()
      expectTypeOf(concat([frame], 16_000)).toEqualTypeOf<AudioFrame>()
      const framer = new Framer({ sampleRate: 16_000 })
      expectTypeOf(framer.push(frame.samples)).toEqualTypeOf<AudioFrame[]>()
      expectTypeOf(framer.flush()).toEqualTypeOf<AudioFrame | undefined>()
      // @ts-expect-error a framer takes samples, whose rate it knows
      framer.push(frame)
      // @ts-expect-error a tone needs a duration
      sine(440, { sampleRate: 16_000 })
      // @ts-expect-error an option that is not set is left out
      return new Framer({ sampleRate: 16_000, duration: undefined })
    }))
})

describe('telephone keys', () => {
  it('are a string, and become one frame each', () =>
    types(() => {
      expectTypeOf(keySound('1w2', 8_000)).toEqualTypeOf<AudioFrame[]>()
      expectTypeOf(keysIn(frame)).toEqualTypeOf<string>()
      expectTypeOf(keyIn(frame)).toEqualTypeOf<string | undefined>()
      expectTypeOf(keysHeard('1w2', 300)).toEqualTypeOf<string>()
      expectTypeOf(keyDuration('1w2')).toEqualTypeOf<number>()
      // @ts-expect-error keys are not a number
      checkKeys(12)
      // @ts-expect-error 44.1 kHz is not supported
      keySound('1', 44_100)
    }))
})

describe('a playout clock', () => {
  it('says how much was heard, and whether the line confirmed it', () =>
    types(() => {
      const stretch = new PlayoutClock().begin()
      expectTypeOf(stretch.heard(0)).toEqualTypeOf<Heard>()
      expectTypeOf<Heard>().toEqualTypeOf<{ readonly ms: number; readonly known: boolean }>()
      expectTypeOf(stretch.endsAt).toEqualTypeOf<number | undefined>()
      // @ts-expect-error time passes by the clock's arguments only
      stretch.heard()
    }))
})

describe('WAV files and keys', () => {
  it('have one or two channels', () =>
    types(() => {
      wavHeader({ channels: 2, sampleRate: 44_100 })
      // @ts-expect-error surround sound is not written
      wavHeader({ channels: 6, sampleRate: 48_000 })
      expectTypeOf(dtmfFrequencies('5')).toEqualTypeOf<[row: number, column: number]>()
    }))
})

describe('an audio error', () => {
  it('has the codes of audio errors only', () =>
    types(() => {
      const error = new AudioError('WAV_MALFORMED', 'no header')
      expectTypeOf(error).toExtend<EndwellError>()
      expectTypeOf(error.code).toExtend<ErrorCode>()
      // @ts-expect-error misspelt
      if (error.code === 'WAV_MALFORMD') return undefined
      // @ts-expect-error the code of another room
      return new AudioError('SCOPE_CLOSED', 'closed')
    }))
})
