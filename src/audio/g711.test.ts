import { describe, expect, it } from 'vitest'
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from './g711.ts'

/**
 * The laws as the Recommendation tabulates them: decision values, segment by segment, and the value that represents
 * each interval between two of them. In units of the standard, scaled to 16 bits at the end.
 */
const muDecisions = decisions([1, ...Array<number>(15).fill(2)], [4, 8, 16, 32, 64, 128, 256], 4)
const aDecisions = decisions(Array<number>(32).fill(2), [4, 8, 16, 32, 64, 128], 8)

function decisions(firstSteps: number[], segmentSteps: number[], scale: number): number[] {
  const steps = [...firstSteps, ...segmentSteps.flatMap((step) => Array<number>(16).fill(step))]
  const values = [0]
  for (const step of steps) values.push(values.at(-1)! + step)
  return values.map((value) => value * scale)
}

const laws = [
  {
    law: 'mu-law',
    encode: encodeMuLaw,
    decode: decodeMuLaw,
    decided: muDecisions,
    value: (n: number) => (n === 0 ? 0 : (muDecisions[n]! + muDecisions[n + 1]!) / 2),
    code: (n: number, negative: boolean) => (negative ? 0x7f : 0xff) - n,
  },
  {
    law: 'A-law',
    encode: encodeALaw,
    decode: decodeALaw,
    decided: aDecisions,
    value: (n: number) => (aDecisions[n]! + aDecisions[n + 1]!) / 2,
    code: (n: number, negative: boolean) => (negative ? n : n + 0x80) ^ 0x55,
  },
]

const allSamples = Int16Array.from({ length: 65536 }, (_, i) => i - 32768)
const allCodes = Uint8Array.from({ length: 256 }, (_, i) => i)

describe.each(laws)('$law', ({ encode, decode, decided, value, code }) => {
  it('decodes all 256 codes to the values of the standard', () => {
    const expected = new Int16Array(256)
    for (let n = 0; n < 128; n++) {
      expected[code(n, false)] = value(n)
      expected[code(n, true)] = -value(n)
    }
    expect(decode(allCodes)).toEqual(expected)
  })

  it('encodes all 65,536 samples by the decision values of the standard', () => {
    const expected = Uint8Array.from(allSamples, (sample) => {
      const negative = sample < 0
      const inside = (n: number) => (negative ? -sample > decided[n]! : sample >= decided[n]!)
      let n = 127
      while (n > 0 && !inside(n)) n--
      return code(n, negative)
    })
    expect(encode(allSamples)).toEqual(expected)
  })
})

describe('a code that is decoded and encoded again', () => {
  it('stays the same in A-law', () => {
    expect(encodeALaw(decodeALaw(allCodes))).toEqual(allCodes)
  })

  it('stays the same in mu-law, except for negative zero', () => {
    const expected = allCodes.slice()
    expected[0x7f] = 0xff
    expect(encodeMuLaw(decodeMuLaw(allCodes))).toEqual(expected)
  })
})

describe('silence', () => {
  it('has the standard codes', () => {
    expect(encodeMuLaw(Int16Array.of(0))).toEqual(Uint8Array.of(0xff))
    expect(encodeALaw(Int16Array.of(0))).toEqual(Uint8Array.of(0xd5))
  })
})
