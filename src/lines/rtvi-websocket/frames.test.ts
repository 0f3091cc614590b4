import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeFrame, encodeMessage, encodeSound } from './frames.ts'

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

describe('frames of RTVI over WebSocket', () => {
  it('[RV8] are what the client of Pipecat writes and reads', () => {
    // Frame { audio: { name: 'audio', audio: 01 02 03 04, sample_rate: 16000, num_channels: 1 } }
    const fromClient = bytes('12 12 12 05 61 75 64 69 6f 1a 04 01 02 03 04 20 80 7d 28 01')
    expect(decodeFrame(fromClient)).toEqual({
      type: 'audio',
      bytes: bytes('01 02 03 04'),
      sampleRate: 16_000,
      channels: 1,
    })
    expect(encodeSound(Int16Array.of(0x0201, 0x0403), 24_000)).toEqual(
      bytes('12 0c 1a 04 01 02 03 04 20 c0 bb 01 28 01'),
    )
    expect(encodeMessage('{}')).toEqual(bytes('22 04 0a 02 7b 7d'))
    expect(decodeFrame(bytes('22 04 0a 02 7b 7d'))).toEqual({ type: 'message', json: '{}' })
    // Frame { text: { text: 'a' } }, and an interruption.
    expect(decodeFrame(bytes('0a 03 1a 01 61'))).toEqual({ type: 'other' })
    expect(decodeFrame(bytes('2a 00'))).toEqual({ type: 'other' })
  })

  it('[RV8] survive the way there and back', () => {
    fc.assert(
      fc.property(fc.int16Array({ maxLength: 1_000 }), fc.nat(200_000), (samples, sampleRate) => {
        const decoded = decodeFrame(encodeSound(samples, sampleRate))
        expect(decoded).toMatchObject({ type: 'audio', sampleRate, channels: 1 })
        const sound = decoded?.type === 'audio' ? decoded.bytes : new Uint8Array(0)
        expect(new Int16Array(sound.slice().buffer)).toEqual(samples)
      }),
      { seed: 1 },
    )
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (json) => {
        expect(decodeFrame(encodeMessage(json))).toEqual({ type: 'message', json })
      }),
      { seed: 1 },
    )
  })

  it('[RV8] skip fields that are unknown, and take the last of those that come twice', () => {
    // Unknown fields: 9 as a varint, 10 as 8 bytes, 11 as 4 bytes, 12 as a string.
    const unknown = '48 01 51 0000000000000000 5d 00000000 62 01 61'
    expect(decodeFrame(bytes(`22 17 ${unknown} 0a 02 7b 7d`))).toEqual({ type: 'message', json: '{}' })
    expect(decodeFrame(bytes('22 08 0a 02 7b 7d 0a 02 5b 5d'))).toEqual({ type: 'message', json: '[]' })
  })

  it('[RV8] that are no frames are noticed, and never throw, whatever their bytes are', () => {
    for (const hex of [
      '',
      '12',
      '12 05',
      '12 ff ff ff ff ff ff ff ff ff ff 01',
      '0b',
      '00 01',
      '12 02 1a 05',
      '10 01',
    ])
      expect(decodeFrame(bytes(hex)), hex).toBeUndefined()
    // Too many fields, all of them empty texts.
    expect(decodeFrame(bytes(`22 40 ${'0a 00 '.repeat(32)}`))).toEqual({ type: 'message', json: '' })
    expect(decodeFrame(bytes(`22 42 ${'0a 00 '.repeat(33)}`))).toBeUndefined()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (any) => void decodeFrame(any)),
      { numRuns: 2_000, seed: 1 },
    )
    const real = encodeSound(new Int16Array(256), 16_000)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(real.length - 1), fc.nat(255)), { maxLength: 5 }),
        fc.nat(600),
        (edits, cut) => {
          const edited = real.slice(0, cut)
          for (const [at, byte] of edits) if (at < edited.length) edited[at] = byte
          decodeFrame(edited)
        },
      ),
      { numRuns: 2_000, seed: 1 },
    )
  })
})
