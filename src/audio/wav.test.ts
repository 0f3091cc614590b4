import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AudioError } from './errors.ts'
import { decodeWav, encodeWav, wavHeader, wavHeaderLength } from './wav.ts'

const ascii = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0))
const uint32 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >>> 24) & 255]
const chunk = (tag: string, body: number[], said = body.length) => [...ascii(tag), ...uint32(said), ...body]
const format = (encoding: number, channels: number, bits: number, rate = 8000, more: number[] = []) =>
  chunk('fmt ', [encoding, encoding >> 8, channels, 0, ...uint32(rate), ...uint32(0), 0, 0, bits, 0, ...more])
const riff = (chunks: number[], said = chunks.length + 4) =>
  Uint8Array.from([...ascii('RIFF'), ...uint32(said), ...ascii('WAVE'), ...chunks])

const mono = format(1, 1, 16)
const sound = chunk('data', Array<number>(40).fill(1))
const malformed = expect.objectContaining({ name: 'AudioError', code: 'WAV_MALFORMED' })
const unsupported = expect.objectContaining({ name: 'AudioError', code: 'WAV_UNSUPPORTED' })

describe('a WAV file', () => {
  it('follows the format, byte for byte', () => {
    expect(encodeWav([Int16Array.of(1, -2), Int16Array.of(0x1234, 3)], 16000)).toEqual(
      Uint8Array.from(
        [
          [...ascii('RIFF'), 44, 0, 0, 0],
          [...ascii('WAVEfmt '), 16, 0, 0, 0, 1, 0, 2, 0, 0x80, 0x3e, 0, 0, 0, 0xfa, 0, 0, 4, 0, 16, 0],
          [...ascii('data'), 8, 0, 0, 0, 1, 0, 0x34, 0x12, 0xfe, 0xff, 3, 0],
        ].flat(),
      ),
    )
  })

  it('decodes to what was encoded', () => {
    const samples = fc.int16Array({ maxLength: 50 })
    const sounds = fc.oneof(fc.tuple(samples), fc.tuple(samples, samples))
    fc.assert(
      fc.property(sounds, fc.constantFrom(8000, 44100, 48000), (channels, sampleRate) => {
        const length = Math.max(...channels.map((channel) => channel.length))
        const padded = channels.map((channel) => {
          const whole = new Int16Array(length)
          whole.set(channel)
          return whole
        })
        expect(decodeWav(encodeWav(channels, sampleRate))).toEqual({ channels: padded, sampleRate })
      }),
    )
  })

  it('has one or two channels', () => {
    const channel = Int16Array.of(1)
    expect(() => encodeWav([], 8000)).toThrow(unsupported)
    expect(() => encodeWav([channel, channel, channel], 8000)).toThrow(unsupported)
  })

  it('can start anywhere in its buffer', () => {
    const file = encodeWav([Int16Array.of(7)], 8000)
    const buffer = new Uint8Array(file.length + 1)
    buffer.set(file, 1)
    expect(decodeWav(buffer.subarray(1)).channels).toEqual([Int16Array.of(7)])
  })
})

describe('a header', () => {
  it('has the same length before and after the size is known', () => {
    const before = wavHeader({ channels: 1, sampleRate: 8000 })
    const after = wavHeader({ channels: 1, sampleRate: 8000, dataLength: 2 })
    expect(before.length).toBe(wavHeaderLength)
    expect(after.length).toBe(wavHeaderLength)
    const differing = [...before.keys()].filter((i) => before[i] !== after[i])
    expect(differing).toEqual([4, 5, 6, 7, 40, 41, 42, 43])
  })

  it('makes a recording that was never finished readable to its end', () => {
    const file = Uint8Array.from([...wavHeader({ channels: 1, sampleRate: 8000 }), 1, 0, 2, 0])
    expect(decodeWav(file).channels).toEqual([Int16Array.of(1, 2)])
  })

  it('can describe up to 4 GB minus 45 bytes', () => {
    const longest = 2 ** 32 - 45
    const header = wavHeader({ channels: 1, sampleRate: 8000, dataLength: longest })
    expect(new DataView(header.buffer).getUint32(40, true)).toBe(longest)
    for (const dataLength of [longest + 1, -1, Number.NaN]) {
      expect(() => wavHeader({ channels: 1, sampleRate: 8000, dataLength })).toThrow(
        expect.objectContaining({ code: 'WAV_TOO_LONG' }),
      )
    }
  })
})

describe('reading a WAV file', () => {
  it('skips unknown chunks, and the padding of odd ones', () => {
    const file = riff([...chunk('LIST', [1, 2]), ...mono, ...chunk('odd ', [1]), 0, ...chunk('data', [5, 0])])
    expect(decodeWav(file)).toEqual({ channels: [Int16Array.of(5)], sampleRate: 8000 })
  })

  it('stops at the end of the sound if other data follows', () => {
    const file = riff([...mono, ...chunk('data', [5, 0]), ...chunk('LIST', [1, 2, 3, 4])])
    expect(decodeWav(file).channels).toEqual([Int16Array.of(5)])
  })

  it('reads what exists if the header claims more', () => {
    const file = riff([...mono, ...chunk('data', [5, 0, 6, 0], 1_000_000)], 7)
    expect(decodeWav(file).channels).toEqual([Int16Array.of(5, 6)])
  })

  it.each([0, 36])('reads to the end if the sizes were never written (RIFF size %d)', (said) => {
    const file = riff([...mono, ...chunk('data', [5, 0, 6, 0], 0)], said)
    expect(decodeWav(file).channels).toEqual([Int16Array.of(5, 6)])
  })

  it('trusts the size of the sound if only the size of the file was never written', () => {
    const file = riff([...mono, ...chunk('data', [5, 0]), ...chunk('LIST', [1, 2])], 0)
    expect(decodeWav(file).channels).toEqual([Int16Array.of(5)])
  })

  it('accepts an empty sound if another chunk follows', () => {
    const file = riff([...mono, ...chunk('data', []), ...chunk('LIST', [1, 2])])
    expect(decodeWav(file).channels).toEqual([new Int16Array(0)])
  })

  it('drops an incomplete sample at the end', () => {
    const file = riff([...format(1, 2, 16), ...chunk('data', [1, 0, 2, 0, 3, 0, 4])])
    expect(decodeWav(file).channels).toEqual([Int16Array.of(1), Int16Array.of(2)])
  })

  it('reads PCM in the extensible format', () => {
    const extension = [22, 0, 16, 0, 4, 0, 0, 0, 1, 0, ...Array<number>(14).fill(0)]
    const file = riff([...format(0xfffe, 1, 16, 8000, extension), ...chunk('data', [5, 0])])
    expect(decodeWav(file).channels).toEqual([Int16Array.of(5)])
  })

  it.each([
    ['nothing', new Uint8Array(0)],
    ['another format', Uint8Array.from([...ascii('RIFX'), ...riff([...mono, ...sound]).slice(4)])],
    ['a RIFF file that is not WAVE', Uint8Array.from([...ascii('RIFF    AVI '), ...mono, ...sound])],
    ['no sound', riff(mono)],
    ['sound before its format', riff([...chunk('data', [1, 0]), ...mono])],
    ['a short format', riff([...chunk('fmt ', [1, 0, 1, 0]), ...sound])],
    ['a format that ends with the file', riff(mono.slice(0, 20))],
    [
      'an extensible format that ends with the file',
      riff(chunk('fmt ', [0xfe, 0xff, ...Array<number>(14)], 40)),
    ],
    [
      'a chunk longer than the file',
      riff([...mono, ...chunk('LIST', [], 0xffffffff), ...chunk('data', [1, 0])]),
    ],
    ['a sample rate of 0', riff([...format(1, 1, 16, 0), ...chunk('data', [1, 0])])],
  ])('refuses %s as malformed', (_, file) => {
    expect(() => decodeWav(file)).toThrow(malformed)
  })

  it.each([
    ['floats', format(3, 1, 32)],
    ['mu-law', format(7, 1, 8)],
    ['24 bits', format(1, 1, 24)],
    ['no channel', format(1, 0, 16)],
    ['six channels', format(1, 6, 16)],
    ['an extensible format without a subformat', format(0xfffe, 1, 16)],
  ])('refuses %s as unsupported', (_, head) => {
    expect(() => decodeWav(riff([...head, ...chunk('data', [1, 0])]))).toThrow(unsupported)
  })

  it('throws only AudioError, whatever the bytes', () => {
    const good = riff([...chunk('LIST', [1]), 0, ...mono, ...chunk('data', [1, 0, 2, 0])])
    const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 4 })
    fc.assert(
      fc.property(damage, fc.nat(good.length), (changes, length) => {
        const file = good.slice(0, length)
        for (const [at, byte] of changes) if (at < length) file[at] = byte
        try {
          expect(decodeWav(file).channels.every((channel) => channel.length <= length / 2)).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(AudioError)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
