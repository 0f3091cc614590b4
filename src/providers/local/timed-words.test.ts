import { describe, expect, it } from 'vitest'
import { timedWords } from './timed-words.ts'

describe('timed words', () => {
  it('include the text up to the next word and end where that starts', () => {
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

  it('never start before the previous word or after the end', () => {
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
