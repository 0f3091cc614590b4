import { describe, expect, it } from 'vitest'
import { level, sine } from '../../audio/index.ts'
import { doubtOf } from './doubt.ts'
import { plainWords } from './plain-words.ts'
import { levelled, resample } from './sound.ts'
import { timedWords } from './timed-words.ts'

describe('plain words', () => {
  it.each([
    ["I'd like an appointment!", 'i would like an appointment'],
    ['At 10:30 am, please', 'at ten thirty please'],
    ['10AM', 'ten'],
    ['at 9:00', 'at nine'],
    ['Room 42, call 5551', 'room forty two call five five five one'],
    ['it’s 2 o’clock', "it is two o'clock"],
    ["what's that? I can't, we won't", 'what is that i can not we will not'],
    ['[not understood] monday', 'monday'],
    ['…', ''],
  ])('are those of %s', (text, plain) => {
    expect(plainWords(text)).toBe(plain)
  })
})

describe('timed words', () => {
  it('have the text between them, and end where the next begins', () => {
    const words = timedWords(
      ' It costs $25.50 — well. ',
      [0, 300, 600, 800, 2_000].map((at, index) => ({ at, position: [1, 4, 10, 12, 19][index]! })),
      2_500,
    )
    expect(words).toEqual([
      { text: ' It ', start: 0, end: 300 },
      { text: 'costs ', start: 300, end: 600 },
      { text: '$25.50 — ', start: 600, end: 2_000 },
      { text: 'well. ', start: 2_000, end: 2_500 },
    ])
  })

  it('never go back, nor beyond the end', () => {
    const words = timedWords(
      'a b c',
      [
        { at: 50, position: 0 },
        { at: 20, position: 2 },
        { at: 900, position: 4 },
      ],
      100,
    )
    expect(words.map(({ start }) => start)).toEqual([50, 50, 100])
  })
})

describe('sound of another rate', () => {
  it.each([
    [22_050, 300],
    [22_050, 3_000],
    [8_000, 1_000],
    [48_000, 1_000],
  ])('from %d Hz keeps a tone of %d Hz', (from, hz) => {
    const tone = Int16Array.from({ length: from }, (_, index) =>
      Math.round(10_000 * Math.sin((2 * Math.PI * hz * index) / from)),
    )
    const heard = resample(tone, from, 16_000)
    const wanted = Int16Array.from({ length: 16_000 }, (_, index) =>
      Math.round(10_000 * Math.sin((2 * Math.PI * hz * index) / 16_000)),
    )
    expect(heard).toHaveLength(16_000)
    const error = heard.slice(200, -200).map((sample, index) => sample - wanted[index + 200]!)
    expect(level(error)).toBeLessThan(level(wanted) - 35)
  })

  it('loses what cannot be heard at it', () => {
    const tone = Int16Array.from({ length: 22_050 }, (_, index) =>
      Math.round(10_000 * Math.sin((2 * Math.PI * 10_000 * index) / 22_050)),
    )
    expect(level(resample(tone, 22_050, 16_000))).toBeLessThan(level(tone) - 40)
  })

  it('is made as loud as speech, and never too loud', () => {
    const soft = sine(300, { sampleRate: 16_000, duration: 500, peak: -26 }).samples
    expect(level(levelled(soft))).toBeCloseTo(-20, 0)
    const spiky = new Int16Array(16_000)
    spiky[5] = 32_767
    expect(Math.max(...levelled(spiky))).toBeLessThan(30_000)
    expect(levelled(new Int16Array(10))).toEqual(new Int16Array(10))
  })
})

describe('doubt', () => {
  const word = (frames: number, lost: number) => ({
    t: 'word',
    d: frames / 100,
    p: Math.exp(-lost * frames * Math.log(1.0001)),
  })

  it('is none of words that fit', () => {
    expect(doubtOf([word(40, 20), word(30, 10)])).toBe(0)
  })

  it('is as large as in the worst stretch, however well the rest fits', () => {
    const worst = doubtOf([word(40, 60)])
    expect(worst).toBeCloseTo((40 * 35) / 900)
    expect(doubtOf([word(100, 5), word(40, 60), word(100, 5)])).toBeCloseTo(worst)
    expect(doubtOf([{ t: '(NULL)', d: 0.01, p: 0 }])).toBe(0)
    expect(doubtOf([{ t: 'word', d: 0.1, p: 0 }])).toBe(Infinity)
  })
})
