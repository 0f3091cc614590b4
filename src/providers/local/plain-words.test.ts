import { describe, expect, it } from 'vitest'
import { plainWords } from './plain-words.ts'

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
  ])('of "%s" are "%s"', (text, plain) => {
    expect(plainWords(text)).toBe(plain)
  })
})
