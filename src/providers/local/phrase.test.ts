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
    fc.record({ type: fc.constant('all' as const), parts: fc.array(word, { minLength: 2, maxLength: 3 }) }),
    fc.record({
      type: fc.constant('any' as const),
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
  ])('is read: %s', (text, read) => {
    expect(formatPhrase(parsePhrase(text))).toBe(read)
  })

  it('can be written and read again', () => {
    fc.assert(
      fc.property(phrase, (tree) => {
        const text = formatPhrase(tree)
        expect(formatPhrase(parsePhrase(text))).toBe(text)
      }),
    )
  })

  it.each([
    ['book [me in', "a '[' has no ']'"],
    ['book (me|you', "a '(' has no ')'"],
    ['book me) in', "there is a ')' that closes nothing"],
    ['book () in', 'words are missing'],
    ['book | | in', 'words are missing'],
    ['', 'words are missing'],
    ['[please]', 'nothing in it has to be said'],
    ['at 10', "'10' is not a word: write numbers as words"],
    ['book {}', 'does not name a slot'],
    ['book $', "'$' is not a word"],
  ])('that is wrong is named: %s', (text, why) => {
    expect(() => parsePhrase(text)).toThrow(`cannot read the phrase '${text}'`)
    expect(() => parsePhrase(text)).toThrow(why)
  })

  it('knows its words and slots', () => {
    const tree = parsePhrase('book [me in] on {day} [at {time}]')
    expect(wordsOf(tree)).toEqual(['book', 'me', 'in', 'on', 'at'])
    expect(slotsOf(tree)).toEqual(['day', 'time'])
  })

  it('says which slot there is not', () => {
    expect(() => fillSlots(parsePhrase('on {day}'), {}, 'on {day}')).toThrow("no slot 'day'; there are: none")
  })
})

describe('a grammar', () => {
  it('has the slots filled in, and remembers where a word is from', () => {
    const { jsgf, words } = grammarOf(['on {day}', 'bye'], { x: ['first'], day: ['monday', 'the {x}'] })
    expect(jsgf).toContain('(on (monday|the (first)))\n|(bye)')
    expect(words.get('first')).toBe('on {day}')
    expect([...words.keys()]).toEqual(['on', 'monday', 'the', 'first', 'bye'])
  })

  it('refuses to be empty', () => {
    expect(() => grammarOf([])).toThrow('at least one phrase')
    expect(() => grammarOf(['on {day}'], { day: [] })).toThrow("slot 'day' has no values")
  })
})
