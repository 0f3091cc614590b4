import { describe, expect, it } from 'vitest'
import { Memory } from './memory.ts'

/** Describes the items that are sent to a new connection. */
const carriedOver = (memory: Memory): string[] =>
  memory.carryOver().map((event) => {
    if (event.type !== 'conversation.item.create') return event.type
    const { item } = event
    if (item.type === 'function_call') return `call ${item.call_id}`
    if (item.type === 'function_call_output') return `result ${item.call_id}`
    return `${item.role}: ${item.content[0]!.text}`
  })

describe('the memory of an OpenAI conversation', () => {
  it("keeps the user's words in the order of speaking, whenever their text arrives", () => {
    const memory = new Memory([])
    memory.addUserTurn('a')
    memory.addUserText('Hello?')
    memory.addUserTurn('b')
    memory.addUserTurn('c')
    memory.setText('a', 'good morning')
    memory.setText('b', '')
    // Turn b had no words, and turn c was never transcribed.
    expect(carriedOver(memory)).toEqual(['user: good morning', 'user: Hello?', 'user: (inaudible)'])
  })

  it('keeps results only together with their calls', () => {
    const memory = new Memory([])
    expect(memory.addResult('call-1', 'nine')).toBeUndefined()
    memory.addCall('x', 'call-1', 'find', '{}')
    expect(memory.addResult('call-1', 'nine')).toBeDefined()
    expect(memory.addResult('call-1', 'ten')).toBeUndefined()
    memory.remove('x')
    expect(carriedOver(memory)).toEqual([])
  })

  it.each([
    [0, undefined],
    [10, ''],
    [240, 'Good'],
    [260, 'Good'],
    [480, 'Good'],
    [600, 'Good morning'],
    [1_000, 'Good morning to you.'],
  ])('keeps the whole words that were heard after %i of 1,000 ms', (heard, text) => {
    const memory = new Memory([])
    const item = memory.addModelMessage('a')
    item.text = 'Good morning to you.'
    item.duration = 1_000
    const [event] = memory.truncate(item, heard)
    const type = heard === 0 ? 'conversation.item.delete' : 'conversation.item.truncate'
    expect(event).toMatchObject({ type, item_id: 'a' })
    expect(memory.items.map((each) => 'text' in each && each.text)).toEqual(text === undefined ? [] : [text])
  })

  it('[SC18] drops its oldest items beyond what the models can hold', () => {
    const memory = new Memory([])
    for (let i = 0; i < 200; i++) memory.addUserText(`${i} ${'x'.repeat(1_000)}`)
    const kept = carriedOver(memory)
    expect(kept.length).toBeLessThan(120)
    expect(kept.length).toBeGreaterThan(90)
    expect(kept.at(-1)).toMatch(/^user: 199 /)
    // The newest item is kept even if it is too long on its own.
    memory.addUserText('y'.repeat(1_000_000))
    expect(carriedOver(memory)).toHaveLength(1)
  })
})
