import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SpokenWord } from '../../parts/index.ts'
import { HeardText } from './heard-text.ts'

/** A complete speech with `ms` milliseconds of sound. */
function spoken(text: string, ms: number, words?: readonly SpokenWord[]): HeardText {
  const speech = new HeardText()
  speech.addSound(ms, text, words)
  speech.end(text)
  return speech
}

const timed = (...words: [text: string, start: number, end: number][]): SpokenWord[] =>
  words.map(([text, start, end]) => ({ text, start, end }))

describe('the heard text of a speech with word times', () => {
  const morning = () =>
    spoken('Good morning! How are you?', 2_000, [
      ...timed(['Good ', 0, 300], ['morning! ', 300, 900]),
      ...timed(['How ', 1_000, 1_200], ['are ', 1_200, 1_400], ['you?', 1_400, 1_800]),
    ])

  it.each([
    [0, ''],
    [-5, ''],
    [NaN, ''],
    [10, ''],
    [150, 'Go'],
    [300, 'Good'],
    [600, 'Good morn'],
    [899, 'Good morning'],
    [900, 'Good morning!'],
    [999, 'Good morning!'],
    [1_200, 'Good morning! How'],
    [1_800, 'Good morning! How are you?'],
    [2_000, 'Good morning! How are you?'],
    [9_999, 'Good morning! How are you?'],
  ])('is exact after %s ms, even in the middle of a word: %j', (ms, heard) => {
    expect(morning().upTo(ms)).toBe(heard)
  })

  it('is cut between visible characters', () => {
    const [family, flag, accent] = ['👨‍👩‍👧', '🇩🇪', 'e\u0301']
    const word = `${family}${flag}${accent}`
    const speech = spoken(word, 1_000, timed([word, 0, 900]))
    expect([299, 300, 599, 600, 899, 900].map((ms) => speech.upTo(ms))).toEqual([
      '',
      family,
      family,
      family + flag,
      family + flag,
      word,
    ])
  })

  it('does not include words without a time, however much sound there is', () => {
    const speech = new HeardText()
    speech.addSound(5_000, 'One two three four', timed(['One ', 0, 300], ['two ', 300, 600]))
    expect(speech.upTo(5_000)).toBe('One two')
  })

  it('skips timed words that are not in the text', () => {
    const speech = spoken(
      'Well… (hm) 3 cats — ok?',
      2_000,
      timed(['Well', 0, 100], ['three', 100, 200], ['cats', 200, 300], ['dogs', 300, 400]),
    )
    expect(speech.upTo(150)).toBe('Well')
    expect(speech.upTo(300)).toBe('Well… (hm) 3 cats')
    expect(speech.upTo(350)).toBe('Well… (hm) 3 cats')
    expect(speech.upTo(450)).toBe('Well… (hm) 3 cats')
  })

  it('includes a word of no duration together with the word before it', () => {
    const speech = spoken('One, two', 2_000, timed(['One', 0, 300], [', ', 300, 300], ['two', 500, 900]))
    expect([299, 300, 400].map((ms) => speech.upTo(ms))).toEqual(['On', 'One,', 'One,'])
  })

  it('does not match a timed word that is far ahead in the text', () => {
    const speech = spoken(`a ${'b '.repeat(80)}c d`, 1_000, timed(['a', 0, 100], ['d', 100, 200]))
    expect(speech.upTo(200)).toBe('a')
  })

  it('spreads the rest of the text over long sound after the last timed word', () => {
    const speech = spoken('One two three four', 1_600, timed(['One ', 0, 300], ['two ', 300, 600]))
    expect(speech.upTo(1_200)).toBe('One two three')
    expect(spoken('One two a bcdefgh', 1_000, timed(['One two', 0, 600])).upTo(900)).toBe('One two')
  })

  it('ignores words with impossible times', () => {
    const speech = spoken(
      'One two',
      1_000,
      timed(['One', NaN, 5], ['One', -1, 5], ['One', 9, 5], ['One', 0, NaN]),
    )
    expect(speech.upTo(600)).toBe('One')
    expect(spoken('One two', 1_000, timed(['One', 0, Infinity], ['One', 0, 900])).upTo(899)).toBe('On')
  })
})

describe('the heard text of a speech without word times', () => {
  const ahead = 'The model is far ahead of the voice, and has written all of this already.'

  it.each([
    [1, ''],
    [399, ''],
    [400, 'Good'],
    [1_200, 'Good'],
    [1_300, 'Good morning!'],
    [1_301, 'Good morning!'],
    [1_699, 'Good morning!'],
    [1_700, 'Good morning! How'],
    [2_600, 'Good morning! How are you?'],
  ])('is in proportion to its length after %s of 2600 ms, in whole words: %j', (ms, heard) => {
    expect(spoken('Good morning! How are you?', 2_600).upTo(ms)).toBe(heard)
  })

  it('assumes the usual pace while the sound is still being made', () => {
    const speech = new HeardText()
    speech.addSound(0, ahead)
    expect(speech.upTo(1_000)).toBe('')
    speech.addSound(1_000, ahead)
    expect(speech.upTo(1_000)).toBe('The model is far')
    expect(speech.upTo(9_000)).toBe('The model is far')
    expect(speech.made).toBe(1_000)
  })

  it('is all of the text so far if the text lags behind its sound', () => {
    const speech = new HeardText()
    speech.addSound(10_000, 'Hello')
    expect(speech.upTo(10_000)).toBe('Hello')
    speech.end('Hello there')
    expect(speech.upTo(9_000)).toBe('Hello')
    expect(speech.upTo(10_000)).toBe('Hello there')
    expect(speech.text).toBe('Hello there')
  })

  it('uses the real pace once the speech is complete', () => {
    expect(spoken('a b c d e f g h', 500).upTo(400)).toBe('a b c d e f')
  })

  it('uses the pace of an earlier speech if it is given', () => {
    const earlier = spoken('x'.repeat(100), 2_000)
    expect(earlier.pace).toBe(0.05)
    const speech = new HeardText({ pace: earlier.pace })
    speech.addSound(1_000, ahead)
    expect(speech.upTo(1_000)).toBe('The model is far ahead of the voice, and has')
    expect(spoken('Hi', 300).pace).toBeUndefined()
    expect(spoken('  ', 2_000).pace).toBeUndefined()
    expect(new HeardText().pace).toBeUndefined()
    for (const pace of [NaN, 0, -1, Infinity]) {
      const atUsualPace = new HeardText({ pace })
      atUsualPace.addSound(500, 'One two three four five six')
      expect(atUsualPace.upTo(500)).toBe('One two')
    }
  })

  it('is cut between words in scripts without spaces', () => {
    const speech = spoken('今日は天気がいいですね。散歩しましょう。', 4_000)
    const heard = [500, 1_100, 2_000, 3_000].map((ms) => speech.upTo(ms))
    expect(heard).toEqual(['今日', '今日は天気', '今日は天気がいい', '今日は天気がいいですね。散歩'])
    expect(speech.upTo(4_000)).toBe('今日は天気がいいですね。散歩しましょう。')
  })

  it('keeps punctuation with the word before it in scripts without spaces', () => {
    expect(spoken('今日。明日', 1_300).upTo(650)).toBe('')
    expect(spoken('今日。明日', 1_300).upTo(700)).toBe('今日。')
  })

  it('counts a syllable character as longer than a letter, and an accent as nothing', () => {
    expect(spoken('ab 日本', 1_000).upTo(400)).toBe('ab')
    expect(spoken('ab 日本', 900).upTo(250)).toBe('ab')
    expect(spoken('e\u0301e\u0301 ee', 1_000).upTo(400)).toBe('e\u0301e\u0301')
  })

  it('is empty without sound', () => {
    expect(spoken('Hello', 0).upTo(100)).toBe('')
    const speech = new HeardText()
    for (const ms of [NaN, -100, Infinity]) speech.addSound(ms, 'Hello')
    expect(speech.made).toBe(0)
    speech.end('Hello')
    expect(speech.upTo(100)).toBe('')
  })

  it('is empty without text', () => {
    expect(spoken('', 1_000).upTo(500)).toBe('')
    expect(spoken('', 1_000).upTo(1_000)).toBe('')
  })
})

describe('the heard text of any speech', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom('a', 'bc', ' ', '. ', '日', '本', 'é', '👍🏽', 'ไทย', '\n'),
      maxLength: 60,
    }),
  )
  const words = fc.array(
    fc.record({
      text: fc.oneof(fc.constantFrom('a', 'bc', 'bc. ', '日本', ''), fc.string({ maxLength: 4 })),
      start: fc.integer({ min: -10, max: 3_000 }),
      end: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.constant(NaN)),
    }),
    { maxLength: 12 },
  )

  it('is a prefix of the text that grows with the sound', () => {
    fc.assert(
      fc.property(text, words, fc.boolean(), fc.integer({ min: 0, max: 3_000 }), (said, times, ended, ms) => {
        const speech = new HeardText()
        speech.addSound(ms, said, times)
        if (ended) speech.end(said)
        let before = ''
        for (let at = 0; at <= ms + 100; at += 50) {
          const heard = speech.upTo(at)
          expect(said.startsWith(heard)).toBe(true)
          expect(heard.startsWith(before)).toBe(true)
          before = heard
        }
      }),
    )
  })

  it('is empty at the start and complete at the end', () => {
    fc.assert(
      fc.property(text, words, fc.integer({ min: 1, max: 3_000 }), (said, times, ms) => {
        const speech = spoken(said, ms, times)
        expect(speech.upTo(ms)).toBe(said)
        expect(speech.upTo(0)).toBe('')
      }),
    )
  })

  it('never ends in the middle of a character', () => {
    const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 999 }), fc.boolean(), (said, ms, withTimes) => {
        const word = said.trim()
        const speech = spoken(word, 1_000, withTimes ? [{ text: word, start: 0, end: 999 }] : undefined)
        const heard = speech.upTo(ms)
        const ends = Array.from(graphemes.segment(word), ({ index }) => index)
        expect([...ends, word.length]).toContain(heard.length)
      }),
    )
  })
})
