import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { grammarOf } from './grammar.ts'
import { fillSlots, formatPhrase, parsePhrase, slotsOf, wordsOf, type Phrase } from './phrase.ts'

const word = fc
  .constantFrom('book', 'me', 'in', "o'clock", 'monday')
  .map((each): Phrase => ({ type: 'word', word: each }))
const { phrase } = fc.letrec<{ phrase: Phrase; part: Phrase }>((tie) => ({
  part: fc.oneof({ depthSize: 'small' }, word, tie('phrase')),
  phrase: fc.oneof(
    { depthSize: 'small' },
    word,
    fc.record({
      type: fc.constant('sequence' as const),
      parts: fc.array(word, { minLength: 2, maxLength: 3 }),
    }),
    fc.record({
      type: fc.constant('choice' as const),
      parts: fc.array(tie('part'), { minLength: 2, maxLength: 3 }),
    }),
  ),
}))

describe('a phrase', () => {
  it.each([
    ['book me in', 'book me in'],
    ['Book me in, please!', 'book me in please'],
    ['book [me in] on (monday|tuesday) [at {time}]', 'book [me in] on (monday|tuesday) [at {time}]'],
    ['hello | good (morning|day)', '(hello|good (morning|day))'],
    ['two o’clock', "two o'clock"],
  ])('%s is parsed as %s', (text, formatted) => {
    expect(formatPhrase(parsePhrase(text))).toBe(formatted)
  })

  it('can be formatted and parsed again', () => {
    fc.assert(
      fc.property(phrase, (tree) => {
        const text = formatPhrase(tree)
        expect(formatPhrase(parsePhrase(text))).toBe(text)
      }),
    )
  })

  it.each([
    ['book [me in', "'[' has no closing ']'"],
    ['book (me|you', "'(' has no closing ')'"],
    ['book me) in', "')' has no opening bracket"],
    ['book () in', 'words are missing'],
    ['book | | in', 'words are missing'],
    ['', 'words are missing'],
    ['[please]', 'all of it is optional'],
    ['at 10', "'10' is not a word: write numbers as words"],
    ['book {}', 'is not a slot'],
    ['book $', "'$' is not a word"],
  ])('that is invalid is named in the error: "%s"', (text, why) => {
    expect(() => parsePhrase(text)).toThrow(`invalid phrase '${text}'`)
    expect(() => parsePhrase(text)).toThrow(why)
  })

  it('lists its words and slots', () => {
    const tree = parsePhrase('book [me in] on {day} [at {time}]')
    expect(wordsOf(tree)).toEqual(['book', 'me', 'in', 'on', 'at'])
    expect(slotsOf(tree)).toEqual(['day', 'time'])
  })

  it('with an unknown slot is refused by name', () => {
    expect(() => fillSlots(parsePhrase('on {day}'), {}, 'on {day}')).toThrow(
      "no slot 'day'. Known slots: none",
    )
  })
})

describe('a grammar', () => {
  it('has its slots filled in and maps each word to its phrase', () => {
    const { jsgf, words } = grammarOf(['on {day}', 'bye'], { x: ['first'], day: ['monday', 'the {x}'] })
    expect(jsgf).toContain('(on (monday|the (first)))\n|(bye)')
    expect(words.get('first')).toBe('on {day}')
    expect([...words.keys()]).toEqual(['on', 'monday', 'the', 'first', 'bye'])
  })

  it('must have at least one phrase, and each slot a value', () => {
    expect(() => grammarOf([])).toThrow('at least one phrase')
    expect(() => grammarOf(['on {day}'], { day: [] })).toThrow("slot 'day' has no values")
  })
})
