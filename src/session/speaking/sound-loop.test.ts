import { describe, expect, it } from 'vitest'
import { SoundLoop } from './sound-loop.ts'

describe('a sound loop', () => {
  const sound = { samples: Int16Array.of(10, 20, 30_000), sampleRate: 8_000 } as const

  it('adds its samples at its volume, again and again', () => {
    const loop = new SoundLoop({ sound, volume: 0.5 }, 8_000)
    const one = Int16Array.of(1, 1)
    const other = Int16Array.of(1, 1, 1)
    loop.addTo(one)
    loop.addTo(other)
    expect([...one, ...other]).toEqual([6, 11, 15_001, 6, 11])
  })

  it('is clipped, without wrapping around', () => {
    const samples = Int16Array.of(32_000, -32_000, 20_000)
    new SoundLoop({ sound, volume: 1 }, 8_000).addTo(samples)
    expect([...samples]).toEqual([32_010, -31_980, 32_767])
  })

  it('is converted once for each rate', () => {
    const tone = { samples: new Int16Array(8_000).fill(1_000), sampleRate: 8_000 } as const
    const samples = new Int16Array(100)
    new SoundLoop({ sound: tone, volume: 1 }, 16_000).addTo(new Int16Array(4_000))
    new SoundLoop({ sound: tone, volume: 1 }, 8_000).addTo(samples)
    expect(samples[50]).toBe(1_000)
  })
})
