import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  EncodedFrame,
  FrameReader,
  aLaw,
  bytesFromSamples,
  bytesOf,
  decodeMuLaw,
  durationOf,
  encodeALaw,
  encodeMuLaw,
  frameOf,
  lengthOf,
  muLaw,
  pcm,
  type AudioFormat,
} from './index.ts'

const codes = Uint8Array.from({ length: 256 }, (_, code) => code)

describe('a frame of telephone sound', () => {
  it('[PT1] is not decoded until its samples are read, and then once', () => {
    const bytes = new Uint8Array(256)
    const frame = frameOf(bytes, muLaw)
    expect(lengthOf(frame)).toBe(256)
    expect(durationOf(frame)).toBe(32)
    expect(bytesOf(frame, muLaw)).toBe(bytes)
    bytes.set(codes)
    expect(frame.samples).toEqual(decodeMuLaw(codes))
    expect(frame.samples).toBe(frame.samples)
  })

  it('becomes another encoding if it must', () => {
    const frame = frameOf(codes, muLaw)
    expect(bytesOf(frame, aLaw)).toEqual(encodeALaw(decodeMuLaw(codes)))
    expect(bytesOf(frame, pcm(8_000))).toEqual(bytesFromSamples(decodeMuLaw(codes)))
  })
})

describe('the bytes of a frame', () => {
  it('are those that the frame was made from, in every format', () => {
    for (const format of [pcm(16_000), muLaw, aLaw]) {
      const frame = frameOf(codes, format)
      expect(bytesOf(frame, format)).toEqual(codes)
      expect(frame.sampleRate).toBe(format.sampleRate)
      expect(frame instanceof EncodedFrame).toBe(format.encoding !== 'pcm')
    }
  })

  it('are encoded from PCM', () => {
    const samples = Int16Array.of(0, 1_000, -1_000)
    expect(bytesOf({ samples, sampleRate: 8_000 }, muLaw)).toEqual(encodeMuLaw(samples))
  })
})

describe('a frame reader', () => {
  it('[PR2] returns the same sound, wherever the stream is cut', () => {
    const anyFormat = fc.constantFrom<AudioFormat>(pcm(24_000), muLaw, aLaw)
    fc.assert(
      fc.property(anyFormat, fc.array(fc.uint8Array({ maxLength: 9 })), (format, chunks) => {
        const reader = new FrameReader(format)
        const read = chunks.flatMap((chunk) => [...reader.push(chunk).samples])
        expect(read).toEqual([
          ...frameOf(Uint8Array.from(chunks.flatMap((each) => [...each])), format).samples,
        ])
      }),
    )
  })
})
