import { describe, expect, it } from 'vitest'
import { Memory } from './memory.ts'

/** What a new connection is told, in words. */
const told = (memory: Memory): string[] =>
  memory.carryOver().map((event) => {
    if (event.type !== 'conversation.item.create') return event.type
    const { item } = event
    if (item.type === 'function_call') return `call ${item.call_id}`
    if (item.type === 'function_call_output') return `result ${item.call_id}`
    return `${item.role}: ${item.content[0]!.text}`
  })

describe('what is remembered of a conversation', () => {
  it('has the words of the user where they were said, whenever they are known', () => {
    const memory = new Memory([])
    memory.heard('a')
    memory.types('Hello?')
    memory.heard('b')
    memory.heard('c')
    memory.wrote('a', 'good morning')
    memory.wrote('b', '')
    // Nothing was said at b, and nobody knows what was said at c.
    expect(told(memory)).toEqual(['user: good morning', 'user: Hello?', 'user: (inaudible)'])
  })

  it('has results only together with their calls', () => {
    const memory = new Memory([])
    expect(memory.returns('call-1', 'nine')).toBeUndefined()
    memory.calls('x', 'call-1', 'find', '{}')
    expect(memory.returns('call-1', 'nine')).toBeDefined()
    expect(memory.returns('call-1', 'ten')).toBeUndefined()
    memory.forget('x')
    expect(told(memory)).toEqual([])
  })

  it.each([
    [0, undefined],
    [10, ''],
    [240, 'Good'],
    [260, 'Good'],
    [480, 'Good'],
    [600, 'Good morning'],
    [1_000, 'Good morning to you.'],
  ])('has the whole words that were heard: of %i ms in 1,000', (heard, text) => {
    const memory = new Memory([])
    const item = memory.speaks('a')
    item.text = 'Good morning to you.'
    item.sounded = 1_000
    const [event] = memory.cut(item, heard)
    const what = heard === 0 ? 'conversation.item.delete' : 'conversation.item.truncate'
    expect(event).toMatchObject({ type: what, item_id: 'a' })
    expect(memory.items.map((each) => 'text' in each && each.text)).toEqual(text === undefined ? [] : [text])
  })

  it('[SC18] is not longer than the models can hold: the oldest is forgotten', () => {
    const memory = new Memory([])
    for (let i = 0; i < 200; i++) memory.types(`${i} ${'x'.repeat(1_000)}`)
    const kept = told(memory)
    expect(kept.length).toBeLessThan(120)
    expect(kept.length).toBeGreaterThan(90)
    expect(kept.at(-1)).toMatch(/^user: 199 /)
    // One that alone is too long is kept: it was said just now.
    memory.types('y'.repeat(1_000_000))
    expect(told(memory)).toHaveLength(1)
  })
})
