import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countWords, hasWords, joinWords } from './turn-words.ts'

describe('joining words', () => {
  it.each([
    [['Hello', 'there'], 'Hello there'],
    [[' Hello ', '\tthere\n'], 'Hello there'],
    [['', 'Hello', ' ', 'there', ''], 'Hello there'],
    [['Hello', ', and'], 'Hello, and'],
    [['Hello', '.'], 'Hello.'],
    [['Hello', '?!'], 'Hello?!'],
    [['It costs', '.5'], 'It costs .5'],
    [['Well', '…maybe'], 'Well …maybe'],
    [['(he said', ') yes'], '(he said) yes'],
    [['two  spaces', 'stay'], 'two  spaces stay'],
    [['はい。', 'お願いします'], 'はい。お願いします'],
    [['我想', '订桌'], '我想订桌'],
    [['ขอ', 'โทษ'], 'ขอโทษ'],
    [['안녕', '하세요'], '안녕 하세요'],
    [['iPhone', 'を'], 'iPhone を'],
    [['Straße', 'Äpfel'], 'Straße Äpfel'],
    [[], ''],
  ])('turns %j into %s', (pieces, text) => {
    expect(joinWords(...pieces)).toBe(text)
  })

  it('is associative and loses no character', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '.', ',', '5', '我', 'は', '。', ')') })
    fc.assert(
      fc.property(piece, piece, piece, (a, b, c) => {
        expect(joinWords(joinWords(a, b), c)).toBe(joinWords(a, b, c))
        expect(joinWords(a, b, c).replaceAll(' ', '')).toBe((a + b + c).replaceAll(' ', ''))
      }),
    )
  })
})

describe('counting words', () => {
  it.each([
    ['', 0],
    ['...', 0],
    ['– ?', 0],
    ['Hello', 1],
    ["don't", 1],
    ['e-mail me', 2],
    ['  3.5   percent ', 2],
    ['no, wait!', 2],
    ['我想订桌', 4],
    ['iPhoneをください', 6],
    ['안녕 하세요', 2],
  ])('in %j gives %d', (text, count) => {
    expect(countWords(text)).toBe(count)
    expect(hasWords(text)).toBe(count > 0)
  })
})
