import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SentenceSplitter, sentences, type SentenceOptions } from './index.ts'

function split(text: string, options?: SentenceOptions): string[] {
  const splitter = new SentenceSplitter(options)
  return [...splitter.push(text), ...splitter.flush()]
}

describe('sentences', () => {
  it.each([
    ['plain sentences', ['Good morning! ', 'How are you? ', 'Fine.']],
    ['titles', ['Dr. Smith met Mrs. Jones. ', 'They talked.']],
    ['other abbreviations', ['Use fruit, e.g. Apples, on Jan. 5. ', 'No. 7 is next.']],
    ['initials', ['J. R. Smith of the U.S. Army came. ', 'So do I. ', 'Yes.']],
    ['numbers and addresses', ['It costs $3.50 at example.com. ', 'Version 2.0 is 10.5 percent off.']],
    ['ordinals', ['Am 3. Mai um 5 Uhr. ', 'Bis dann.']],
    ['lists', ['1. First thing\n', '2. Second thing\n\n', 'Done.\n', 'well done']],
    ['quotes', ['He said "Stop!" ', 'Then he left. ', '"Really?" he asked. ', '(Yes.) ', '“No.”']],
    ['opening quotes', ['Go. ', '"Now," he said. ', '¿Qué? ', '¡Sí!']],
    ['repeated punctuation', ['What?! ', 'Well... maybe. ', 'Wait… ', 'Ok.']],
    ['Chinese and Japanese', ['你好。', '今天天气很好！', '「そうですか？」', 'はい。']],
    ['Hindi and Arabic', ['यह है। ', 'वह था। ', 'كيف حالك؟ ', 'بخير۔ ', 'نعم']],
  ])('are split correctly: %s', (_, expected) => {
    expect(split(expected.join(''))).toEqual(expected)
  })

  it('respect additional abbreviations', () => {
    expect(split('See par. Four. Done.')).toHaveLength(3)
    expect(split('See par. Four. Done.', { abbreviations: ['Par'] })).toEqual(['See par. Four. ', 'Done.'])
  })

  it('are complete with the first letter of the next sentence', () => {
    const splitter = new SentenceSplitter()
    expect(splitter.push('It is 5 p.m.')).toEqual([])
    expect(splitter.push(' ')).toEqual([])
    expect(splitter.push('"')).toEqual([])
    expect(splitter.push('W')).toEqual(['It is 5 p.m. '])
    expect(splitter.flush()).toEqual(['"W'])
    expect(splitter.flush()).toEqual([])
  })

  it('that are too long are cut after a clause, a word, or a visible character', () => {
    expect(split('one two three, four five six', { maxLength: 20 })).toEqual([
      'one two three, ',
      'four five six',
    ])
    expect(split('one two three four five six', { maxLength: 20 })).toEqual([
      'one two three four ',
      'five six',
    ])
    expect(split('สวัสดีครับผมชื่อสมชาย', { maxLength: 8 })).toEqual(['สวัสดีค', 'รับผมชื่', 'อสมชาย'])
    expect(split('😀😀😀😀', { maxLength: 5 })).toEqual(['😀😀', '😀😀'])
    expect(split('a'.repeat(700)).map(({ length }) => length)).toEqual([300, 300, 100])
  })

  it('add up to the text, keep the limit, and do not depend on how the stream was split', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '5',
      '.',
      '!',
      '?',
      ' ',
      '\n',
      '"',
      ')',
      ',',
      '。',
      '」',
      '…',
      'é',
      'Dr',
      '😀',
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.integer({ min: 2, max: 12 }),
        (pieces, maxLength) => {
          const text = pieces.join('')
          const whole = split(text, { maxLength })
          const splitter = new SentenceSplitter({ maxLength })
          const cut = [...pieces.flatMap((each) => splitter.push(each)), ...splitter.flush()]
          expect(whole.join('')).toBe(text)
          expect(cut).toEqual(whole)
          for (const sentence of whole) {
            expect(sentence).not.toBe('')
            expect(sentence.length).toBeLessThanOrEqual(maxLength)
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it('are yielded while the stream is being read', async () => {
    async function* stream(): AsyncGenerator<string> {
      yield* ['One. T', 'wo. ', 'Three']
    }
    const taken: string[] = []
    for await (const sentence of sentences(stream())) taken.push(sentence)
    expect(taken).toEqual(['One. ', 'Two. ', 'Three'])
  })
})
