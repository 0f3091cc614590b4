import { describe, expect, it } from 'vitest'
import type { TimedCharacter } from './context-dialect.ts'
import { WordAligner } from './word-aligner.ts'

/** Each character takes 10 ms. */
const timed = (text: string, from = 0): TimedCharacter[] =>
  text.split('').map((character, index) => ({
    text: character,
    start: from + index * 10,
    end: from + index * 10 + 10,
  }))

/** The words of these texts, one message each, with times from the start of the context. */
function wordsOf(...texts: readonly string[]): string[] {
  const aligner = new WordAligner()
  let at = 0
  const words = texts.flatMap((text) => {
    const complete = aligner.push(timed(text, at), at)
    at += text.length * 10
    return complete
  })
  return [...words, ...aligner.flush()].map(({ text }) => text)
}

describe('a word aligner', () => {
  it.each<[what: string, texts: string[], words: string[]]>([
    [
      'keeps the space and the punctuation that follow a word',
      ['Good morning, you.'],
      ['Good ', 'morning, ', 'you.'],
    ],
    ['joins a word that two messages share', ['Good mor', 'ning.'], ['Good ', 'morning.']],
    ['drops a leading space', [' Yes. '], ['Yes. ']],
    ['keeps all spaces between two words with the first', ['a  b'], ['a  ', 'b']],
    ['makes each character of an unspaced script a word', ['你好。再见'], ['你', '好。', '再', '见']],
    ['separates unspaced scripts from others', ['用API吧 ok'], ['用', 'API', '吧 ', 'ok']],
    ['returns nothing for no characters', ['', ' '], []],
  ])('%s', (_, texts, words) => expect(wordsOf(...texts)).toEqual(words))

  it('ends a word where its last visible character ends', () => {
    const aligner = new WordAligner()
    expect(aligner.push(timed('ab cd'), 0)).toEqual([{ text: 'ab ', start: 0, end: 20 }])
    expect(aligner.flush()).toEqual([{ text: 'cd', start: 30, end: 50 }])
    expect(aligner.flush()).toEqual([])
  })

  it.each<[what: string, second: number]>([
    ['the start of the context', 60],
    ['the start of each message', 0],
  ])('takes times from %s', (_, second) => {
    const aligner = new WordAligner()
    aligner.push(timed('Good m'), 0)
    expect(aligner.push(timed('orning you', second), 60)).toEqual([{ text: 'morning ', start: 50, end: 120 }])
    expect(aligner.flush()).toEqual([{ text: 'you', start: 130, end: 160 }])
  })

  it('never lets a word start before the previous one, whatever the vendor says', () => {
    const aligner = new WordAligner()
    const liar = [
      { text: 'a', start: 50, end: 40 },
      { text: ' ', start: 60, end: 60 },
      { text: 'b', start: 10, end: 20 },
    ]
    const words = [...aligner.push(liar, 0), ...aligner.flush()]
    expect(words).toEqual([
      { text: 'a ', start: 50, end: 50 },
      { text: 'b', start: 50, end: 50 },
    ])
  })
})
