import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HistoryItem } from './history-item.ts'
import { History } from './history.ts'

const texts = (history: History): string[] =>
  history.items.map((item) => (item.type === 'message' ? `${item.role}: ${item.text}` : item.type))
const call = (history: History, name: string, at = 0) =>
  history.callTool({ call: `call-${name}`, name, input: '{}', at })
const said = (history: History, text: string, at = 0): void => {
  const words = history.speak({ at })
  words.heard(text)
  words.end()
}

describe('a history', () => {
  it('lists items in order, each with an id and its time', () => {
    const history = new History()
    history.addUser('Hello?', { at: 1_000 })
    const words = history.speak({ at: 2_000, agent: 'desk' })
    words.heard('Good morning!')
    words.end()
    history.handOff({ from: 'desk', to: 'billing', at: 3_000 })
    const keys = history.press({ at: 4_000, agent: 'billing' })
    keys.heard('1w2')
    keys.end({ interrupted: true })
    expect(history.items).toEqual([
      { type: 'message', id: 'i1', role: 'user', text: 'Hello?', at: 1_000 },
      { type: 'message', id: 'i2', role: 'agent', text: 'Good morning!', at: 2_000, agent: 'desk' },
      { type: 'handoff', id: 'i3', from: 'desk', to: 'billing', at: 3_000 },
      { type: 'keys', id: 'i4', keys: '1w2', at: 4_000, interrupted: true, agent: 'billing' },
    ])
    expect(history.toMessages()).toEqual([
      { role: 'user', text: 'Hello?' },
      { role: 'agent', text: 'Good morning!' },
    ])
  })

  it('has only those words of the agent that were heard so far', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    expect(history.items).toEqual([])
    words.heard('Good')
    expect(texts(history)).toEqual(['agent: Good'])
    words.heard('Good morning')
    words.end({ interrupted: true })
    expect(history.items).toMatchObject([{ text: 'Good morning', interrupted: true }])
  })

  it('has no item for speech of the agent that was not heard', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    words.heard(' ')
    words.end({ interrupted: true })
    words.heard('too late')
    expect(history.items).toEqual([])
    expect(history.toMessages()).toEqual([])
  })

  it('makes the messages of an item once, and again when the item changes', () => {
    const history = new History()
    history.addUser('Are you open?', { at: 0 })
    const { id } = history.callTool({ call: 'c1', name: 'look', input: '{}', at: 1 })
    const before = history.toMessages()
    expect(history.toMessages()[0]).toBe(before[0])
    expect(before[2]).toMatchObject({ role: 'tool-result', output: 'still running' })
    history.endTool(id, { output: 'found', failed: false, at: 2 })
    expect(history.toMessages()[0]).toBe(before[0])
    expect(history.toMessages()[2]).toMatchObject({ role: 'tool-result', output: 'found' })
  })

  it('can replace heard words with fewer words, or with none', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    words.heard('Good morning')
    words.heard('Good')
    expect(texts(history)).toEqual(['agent: Good'])
    words.heard('')
    expect(history.items).toEqual([])
    words.heard('Good after all')
    expect(texts(history)).toEqual(['agent: Good after all'])
    words.heard('')
    words.end()
    expect(history.items).toEqual([])
  })

  it('places words of the agent where the speech began', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    call(history, 'findSlot')
    history.addUser('Wait', { at: 5 })
    words.heard('One moment')
    expect(texts(history)).toEqual(['agent: One moment', 'tool', 'user: Wait'])
    expect(history.items[0]!.id).toBe(words.id)
  })

  it('does not change the words of a speech that has ended', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    words.heard('Good')
    words.end()
    words.heard('Good morning')
    words.end({ interrupted: true })
    expect(history.items).toEqual([{ type: 'message', id: 'i1', role: 'agent', text: 'Good', at: 0 }])
  })

  it('has no item for blank words of the user', () => {
    const history = new History()
    expect(history.addUser(' \n', { at: 0 })).toBeUndefined()
    expect(history.items).toEqual([])
  })

  it('cuts very long text between two characters', () => {
    const history = new History()
    const item = history.addUser('😀'.repeat(60_000), { at: 0 })
    expect(item!.text).toHaveLength(99_999)
    expect(item!.text.endsWith('😀…')).toBe(true)
  })
})

describe('a tool call', () => {
  it('has one result, the first one', () => {
    const history = new History()
    const { id } = call(history, 'findSlot')
    expect(history.runningTools).toMatchObject([{ id }])
    expect(history.endTool(id, { output: '9:00', failed: false, at: 10 })).toBe(true)
    expect(history.endTool(id, { output: 'late', failed: true, at: 20 })).toBe(false)
    expect(history.endTool('i99', { output: 'unknown call', failed: true, at: 20 })).toBe(false)
    expect(history.items).toMatchObject([{ result: { output: '9:00', failed: false, at: 10 } }])
    expect(history.runningTools).toEqual([])
  })

  it('has its own result, even if the model used the same id twice', () => {
    const history = new History()
    const first = call(history, 'a')
    const second = call(history, 'a')
    history.endTool(second.id, { output: '2', failed: false, at: 0 })
    history.endTool(first.id, { output: '1', failed: false, at: 0 })
    expect(history.items).toMatchObject([{ result: { output: '1' } }, { result: { output: '2' } }])
  })

  it('cannot be ended with the id of a speech', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    words.heard('Hello')
    expect(history.endTool(words.id, { output: '', failed: false, at: 0 })).toBe(false)
    words.heard('Hello there')
    expect(texts(history)).toEqual(['agent: Hello there'])
  })
})

describe('messages for a model', () => {
  it('contain what was said, and each call followed by its result, but no handoffs', () => {
    const history = new History()
    history.addUser('When?', { at: 0 })
    const { id } = call(history, 'findSlot')
    history.addUser('Hurry', { at: 1 })
    history.endTool(id, { output: 'no calendar', failed: true, at: 2 })
    history.handOff({ from: 'a', to: 'b', at: 3 })
    said(history, 'Sorry')
    expect(history.toMessages()).toEqual([
      { role: 'user', text: 'When?' },
      { role: 'tool-call', id: 'call-findSlot', name: 'findSlot', input: '{}' },
      { role: 'tool-result', id: 'call-findSlot', name: 'findSlot', output: 'no calendar', failed: true },
      { role: 'user', text: 'Hurry' },
      { role: 'agent', text: 'Sorry' },
    ])
  })

  it('have a placeholder as the result of a running tool', () => {
    const history = new History()
    call(history, 'findSlot')
    expect(history.toMessages()).toMatchObject([
      { role: 'tool-call' },
      { role: 'tool-result', output: 'still running', failed: false },
    ])
  })
})

describe('a snapshot of the items', () => {
  it('does not change later and cannot be modified', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    words.heard('Good')
    const { id } = call(history, 'findSlot')
    const before = history.items
    expect(history.items).toBe(before)
    words.heard('Good')
    expect(history.items).toBe(before)
    words.heard('Good morning')
    history.endTool(id, { output: '', failed: false, at: 0 })
    expect(before).toMatchObject([{ text: 'Good' }, { type: 'tool' }])
    expect(before[1]).not.toHaveProperty('result')
    for (const part of [before, ...before, ...history.items]) expect(Object.isFrozen(part)).toBe(true)
    const [, tool] = history.items
    expect(tool?.type === 'tool' && Object.isFrozen(tool.result)).toBe(true)
  })
})

describe('the limit maxItems', () => {
  it('drops the whole oldest exchange: what the user said, and everything that followed from it', () => {
    const history = new History({ maxItems: 5 })
    said(history, 'Welcome')
    history.addUser('one', { at: 0 })
    history.endTool(call(history, 'a').id, { output: '', failed: false, at: 0 })
    said(history, 'first')
    history.addUser('two', { at: 0 })
    expect(history.dropped).toBe(0)
    said(history, 'second')
    expect(texts(history)).toEqual(['user: one', 'tool', 'agent: first', 'user: two', 'agent: second'])
    history.addUser('three', { at: 0 })
    expect(texts(history)).toEqual(['user: two', 'agent: second', 'user: three'])
    expect(history.dropped).toBe(4)
    expect(history.toJSON().dropped).toBe(4)
  })

  it('skips an exchange in which a tool is still running', () => {
    const history = new History({ maxItems: 4 })
    history.addUser('one', { at: 0 })
    const { id } = call(history, 'slow')
    history.addUser('two', { at: 0 })
    said(history, 'second')
    history.addUser('three', { at: 0 })
    expect(texts(history)).toEqual(['user: one', 'tool', 'user: three'])
    expect(history.endTool(id, { output: '', failed: false, at: 0 })).toBe(true)
  })

  it('drops the oldest finished items of an exchange that exceeds the limit alone', () => {
    const history = new History({ maxItems: 2 })
    history.addUser('one', { at: 0 })
    const open = call(history, 'slow')
    for (const name of ['a', 'b']) {
      history.endTool(call(history, name).id, { output: name, failed: false, at: 0 })
    }
    expect(history.items).toMatchObject([{ id: open.id }, { name: 'b' }])
    expect(history.dropped).toBe(2)
  })

  it('never drops the whole last exchange, even if it is the only finished one', () => {
    const history = new History({ maxItems: 2 })
    history.addUser('one', { at: 0 })
    call(history, 'slow')
    history.addUser('two', { at: 0 })
    expect(texts(history)).toEqual(['tool', 'user: two'])
  })

  it('applies when words begin to be heard', () => {
    const history = new History({ maxItems: 1 })
    history.addUser('one', { at: 0 })
    const words = history.speak({ at: 0 })
    history.addUser('two', { at: 0 })
    words.heard('Yes')
    expect(texts(history)).toEqual(['agent: Yes'])
  })

  it.each([0, -1, 1.5, NaN, Infinity])('cannot be %s', (maxItems) => {
    expect(() => new History({ maxItems })).toThrow('maxItems')
  })
})

it('with random events, items stay within the limit, every call has its result, and storing loses nothing', () => {
  const event = fc.record({
    what: fc.constantFrom('user', 'speak', 'heard', 'end', 'call', 'result', 'handoff', 'resume'),
    pick: fc.nat(),
    text: fc.constantFrom('', 'a', 'b c'),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 80 }), fc.integer({ min: 1, max: 8 }), (events, maxItems) => {
      let history = new History({ maxItems })
      let speeches: ReturnType<History['speak']>[] = []
      let open = 0
      for (const { what, pick, text } of events) {
        const running: readonly HistoryItem[] = history.runningTools
        if (what === 'user') history.addUser(text, { at: 0 })
        if (what === 'speak') speeches.push(history.speak({ at: 0 }))
        if (what === 'heard') speeches[pick % speeches.length]?.heard(text)
        if (what === 'end') speeches.splice(pick % (speeches.length + 1), 1)[0]?.end()
        if (what === 'call') call(history, text)
        if (what === 'result' && running.length > 0) {
          history.endTool(running[pick % running.length]!.id, { output: text, failed: false, at: 0 })
        }
        if (what === 'handoff') history.handOff({ from: 'a', to: 'b', at: 0 })
        if (what === 'resume') {
          history = History.from(JSON.parse(JSON.stringify(history)), { maxItems })
          speeches = []
          expect(history.runningTools).toEqual([])
        }
        open = history.runningTools.length + speeches.length
        expect(history.items.length).toBeLessThanOrEqual(Math.max(maxItems, open + 1))
        expect(new Set(history.items.map(({ id }) => id)).size).toBe(history.items.length)
        const roles = history.toMessages().map(({ role }) => role)
        roles.forEach((role, i) => {
          if (role === 'tool-call') expect(roles[i + 1]).toBe('tool-result')
          if (role === 'tool-result') expect(roles[i - 1]).toBe('tool-call')
        })
      }
    }),
  )
})
