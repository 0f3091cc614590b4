import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bytesFromSamples,
  SampleReader,
  samplesFromBytes,
  sharedBytes,
  sharedSamples,
  swapPairs,
} from './pcm.ts'

describe('samples and bytes', () => {
  it('are little-endian', () => {
    expect(bytesFromSamples(Int16Array.of(0x1234, -2))).toEqual(Uint8Array.of(0x34, 0x12, 0xfe, 0xff))
    expect(samplesFromBytes(Uint8Array.of(0x34, 0x12, 0xfe, 0xff))).toEqual(Int16Array.of(0x1234, -2))
  })

  it('have their bytes swapped on a big-endian machine', () => {
    expect(swapPairs(Uint8Array.of(0x12, 0x34, 0xff, 0xfe))).toEqual(Uint8Array.of(0x34, 0x12, 0xfe, 0xff))
  })

  it('can start at an odd address', () => {
    const bytes = Uint8Array.of(99, 0x34, 0x12, 0xfe, 0xff).subarray(1)
    expect(samplesFromBytes(bytes)).toEqual(Int16Array.of(0x1234, -2))
  })

  it('can be a view of a larger buffer', () => {
    const samples = Int16Array.of(7, 1, 2, 7).subarray(1, 3)
    expect(bytesFromSamples(samples)).toEqual(Uint8Array.of(1, 0, 2, 0))
  })

  it('drop half a sample at the end', () => {
    expect(samplesFromBytes(Uint8Array.of(1, 0, 2))).toEqual(Int16Array.of(1))
    expect(samplesFromBytes(Uint8Array.of(1))).toEqual(new Int16Array(0))
  })

  it('share no memory, so that a transport can reuse its buffer', () => {
    const bytes = Uint8Array.of(1, 0)
    const samples = samplesFromBytes(bytes)
    bytes[0] = 2
    expect(samples).toEqual(Int16Array.of(1))
  })
})

describe('samples and bytes that nobody will change', () => {
  it('share memory', () => {
    const samples = Int16Array.of(7, 0x1234, -2).subarray(1)
    const bytes = sharedBytes(samples)
    expect(bytes).toEqual(bytesFromSamples(samples))
    expect(sharedSamples(bytes)).toEqual(samples)
    expect(sharedSamples(bytes).buffer).toBe(samples.buffer)
  })

  it('are copied if they start at an odd address, or would keep much more than themselves in memory', () => {
    const odd = Uint8Array.of(99, 0x34, 0x12, 0xfe, 0xff).subarray(1)
    const slice = new Uint8Array(100).fill(1).subarray(2, 6)
    for (const bytes of [odd, slice]) {
      expect(sharedSamples(bytes)).toEqual(samplesFromBytes(bytes))
      expect(sharedSamples(bytes).buffer.byteLength).toBe(4)
    }
  })
})

describe('a sample reader', () => {
  it('returns the same samples wherever the stream of bytes is cut', () => {
    const cutStreams = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 20 })
    fc.assert(
      fc.property(cutStreams, (chunks) => {
        const reader = new SampleReader()
        const read = chunks.flatMap((chunk) => [...reader.push(chunk)])
        expect(read).toEqual([...samplesFromBytes(Uint8Array.from(chunks.flatMap((chunk) => [...chunk])))])
      }),
    )
  })

  it('starts over after a clear', () => {
    const reader = new SampleReader()
    reader.push(Uint8Array.of(9))
    reader.clear()
    expect(reader.push(Uint8Array.of(1, 0))).toEqual(Int16Array.of(1))
  })
})
