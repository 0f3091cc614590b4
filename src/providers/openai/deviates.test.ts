import { describe, expect, it } from 'vitest'
import { deviates } from './deviates.ts'

describe('a transcript', () => {
  it.each([
    ['Good morning.', 'Good morning.', false],
    ['Good morning.', 'good morning', false],
    ['See you at 9:30 on May 4.', 'See you at nine thirty on May the fourth.', false],
    ['What time is it?', 'It is nine in the morning.', true],
    ['What is the capital of France?', 'What is the capital of France?', false],
    ['What is the capital of France?', 'Paris.', true],
    ['Hello.', 'Hello! How can I help you today? I am happy to.', true],
    ['你好,请问几点?', '你好请问几点', false],
    ['你好,请问几点?', '现在九点。', true],
    ['', '', false],
  ])('of %j that says %j deviates: %s', (text, transcript, expected) => {
    expect(deviates(text, transcript)).toBe(expected)
  })
})
