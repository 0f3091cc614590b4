import { describe, expect, it } from 'vitest'
import { logMel } from './log-mel.ts'

const tone = (hertz: number, samples: number): Float32Array =>
  Float32Array.from({ length: samples }, (_, n) => Math.sin((2 * Math.PI * hertz * n) / 16_000))

/** The same features, written down as their definition reads, with complex numbers and no short cuts. */
function asDefined(sound: Float32Array): number[][] {
  const mel = (hertz: number): number =>
    hertz < 1_000 ? (3 * hertz) / 200 : 15 + (27 * Math.log(hertz / 1_000)) / Math.log(6.4)
  const hertz = (value: number): number =>
    value < 15 ? (200 * value) / 3 : 1_000 * 6.4 ** ((value - 15) / 27)
  const edge = (index: number): number => hertz((mel(8_000) * index) / 81)
  const padded = [...sound.slice(1, 201).toReversed(), ...sound, ...sound.slice(-201, -1).toReversed()]
  const columns: number[][] = []
  for (let start = 0; start + 400 <= padded.length; start += 160) {
    const power = Array.from({ length: 201 }, (_, bin) => {
      let [real, imaginary] = [0, 0]
      for (let n = 0; n < 400; n++) {
        const value = padded[start + n]! * Math.sin((Math.PI * n) / 400) ** 2
        real += value * Math.cos((-2 * Math.PI * bin * n) / 400)
        imaginary += value * Math.sin((-2 * Math.PI * bin * n) / 400)
      }
      return real ** 2 + imaginary ** 2
    })
    columns.push(
      Array.from({ length: 80 }, (_, band) => {
        const [low, centre, high] = [edge(band), edge(band + 1), edge(band + 2)]
        const sum = power.reduce((total, value, bin) => {
          const at = bin * 40
          const rising = (at - low) / (centre - low)
          const falling = (high - at) / (high - centre)
          return total + (value * Math.max(0, Math.min(rising, falling)) * 2) / (high - low)
        }, 0)
        return Math.log10(Math.max(1e-10, sum))
      }),
    )
  }
  columns.pop()
  const loudest = Math.max(...columns.flat())
  return columns.map((column) => column.map((value) => (Math.max(value, loudest - 8) + 4) / 4))
}

describe('the mel features of a sound', () => {
  it('are those of their definition', () => {
    const sound = tone(440, 1_600).map((value, n) => value * (n / 1_600) + 0.1 * Math.sin(n * n))
    const features = logMel(sound)
    const expected = asDefined(sound)
    expect(features).toHaveLength(80 * 10)
    for (const [index, column] of expected.entries())
      for (const [band, value] of column.entries()) expect(features[band * 10 + index]).toBeCloseTo(value, 4)
  })

  it('rise with the pitch of a tone', () => {
    const loudestBand = (hertz: number): number => {
      const features = logMel(tone(hertz, 1_600))
      const bands = Array.from({ length: 80 }, (_, band) => features[band * 10 + 5]!)
      return bands.indexOf(Math.max(...bands))
    }
    const bands = [200, 500, 1_000, 2_000, 4_000, 7_000].map(loudestBand)
    expect(bands).toEqual(bands.toSorted((a, b) => a - b))
    expect(new Set(bands).size).toBe(6)
  })

  it('of silence are all the same, and finite', () => {
    expect(new Set(logMel(new Float32Array(1_600)))).toEqual(new Set([-1.5]))
  })
})
