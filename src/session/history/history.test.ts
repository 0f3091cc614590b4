import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EndwellError } from '../../scope/index.ts'
import type { HistoryItem } from './history-item.ts'
import { HistoryError } from './history-json.ts'
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

describe('what is said', () => {
  it('stands in order, with an id and the time that was given', () => {
    const history = new History()
    history.addUser('Hello?', { at: 1_000 })
    const words = history.speak({ at: 2_000, agent: 'desk' })
    words.heard('Good morning!')
    words.end()
    history.handOff({ from: 'desk', to: 'billing', at: 3_000 })
    expect(history.items).toEqual([
      { type: 'message', id: 'i1', role: 'user', text: 'Hello?', at: 1_000 },
      { type: 'message', id: 'i2', role: 'agent', text: 'Good morning!', at: 2_000, agent: 'desk' },
      { type: 'handoff', id: 'i3', from: 'desk', to: 'billing', at: 3_000 },
    ])
  })

  it('by the agent is only what was heard of it, as it is heard', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    expect(history.items).toEqual([])
    words.heard('Good')
    expect(texts(history)).toEqual(['agent: Good'])
    words.heard('Good morning')
    words.end({ interrupted: true })
    expect(history.items).toMatchObject([{ text: 'Good morning', interrupted: true }])
  })

  it('by an agent of whom nothing was heard is no item', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    words.heard(' ')
    words.end({ interrupted: true })
    words.heard('too late')
    expect(history.items).toEqual([])
    expect(history.toMessages()).toEqual([])
  })

  it('can turn out to be less than was assumed, even nothing', () => {
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

  it('stands where the speech began, whatever came before it was heard', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    call(history, 'findSlot')
    history.addUser('Wait', { at: 5 })
    words.heard('One moment')
    expect(texts(history)).toEqual(['agent: One moment', 'tool', 'user: Wait'])
    expect(history.items[0]!.id).toBe(words.id)
  })

  it('after the end changes no more', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    words.heard('Good')
    words.end()
    words.heard('Good morning')
    words.end({ interrupted: true })
    expect(history.items).toEqual([{ type: 'message', id: 'i1', role: 'agent', text: 'Good', at: 0 }])
  })

  it('by the user is no item if it is blank', () => {
    const history = new History()
    expect(history.addUser(' \n', { at: 0 })).toBeUndefined()
    expect(history.items).toEqual([])
  })

  it('is cut if it is as long as a book, between two characters', () => {
    const history = new History()
    const item = history.addUser('😀'.repeat(60_000), { at: 0 })
    expect(item!.text).toHaveLength(99_999)
    expect(item!.text.endsWith('😀…')).toBe(true)
  })
})

describe('a tool call', () => {
  it('has one result: the first', () => {
    const history = new History()
    const { id } = call(history, 'findSlot')
    expect(history.runningTools).toMatchObject([{ id }])
    expect(history.endTool(id, { output: '9:00', failed: false, at: 10 })).toBe(true)
    expect(history.endTool(id, { output: 'late', failed: true, at: 20 })).toBe(false)
    expect(history.endTool('i99', { output: 'whose?', failed: true, at: 20 })).toBe(false)
    expect(history.items).toMatchObject([{ result: { output: '9:00', failed: false, at: 10 } }])
    expect(history.runningTools).toEqual([])
  })

  it('keeps its result apart from that of another with the same name for it', () => {
    const history = new History()
    const first = call(history, 'a')
    const second = call(history, 'a')
    history.endTool(second.id, { output: '2', failed: false, at: 0 })
    history.endTool(first.id, { output: '1', failed: false, at: 0 })
    expect(history.items).toMatchObject([{ result: { output: '1' } }, { result: { output: '2' } }])
  })

  it('does not take a result for a speech', () => {
    const history = new History()
    const words = history.speak({ at: 0 })
    words.heard('Hello')
    expect(history.endTool(words.id, { output: '', failed: false, at: 0 })).toBe(false)
    words.heard('Hello there')
    expect(texts(history)).toEqual(['agent: Hello there'])
  })
})

describe('messages for a model', () => {
  it('are what was said, and calls each followed by its result; handoffs are not for models', () => {
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

  it('say of a tool that runs that it does: models refuse a call without a result', () => {
    const history = new History()
    call(history, 'findSlot')
    expect(history.toMessages()).toMatchObject([
      { role: 'tool-call' },
      { role: 'tool-result', output: 'still running', failed: false },
    ])
  })
})

describe('a snapshot', () => {
  it('is not changed by what happens later, nor by who reads it', () => {
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

describe('the limit', () => {
  it('drops the oldest exchange whole: what the user said and all that came of it', () => {
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

  it('leaves an exchange alone in which a tool still runs, and takes the next', () => {
    const history = new History({ maxItems: 4 })
    history.addUser('one', { at: 0 })
    const { id } = call(history, 'slow')
    history.addUser('two', { at: 0 })
    said(history, 'second')
    history.addUser('three', { at: 0 })
    expect(texts(history)).toEqual(['user: one', 'tool', 'user: three'])
    expect(history.endTool(id, { output: '', failed: false, at: 0 })).toBe(true)
  })

  it('takes the oldest items of an exchange that is too long by itself, but none that is open', () => {
    const history = new History({ maxItems: 2 })
    history.addUser('one', { at: 0 })
    const open = call(history, 'slow')
    for (const name of ['a', 'b']) {
      history.endTool(call(history, name).id, { output: name, failed: false, at: 0 })
    }
    expect(history.items).toMatchObject([{ id: open.id }, { name: 'b' }])
    expect(history.dropped).toBe(2)
  })

  it('never takes the last exchange whole, even if it is the only one that is over', () => {
    const history = new History({ maxItems: 2 })
    history.addUser('one', { at: 0 })
    call(history, 'slow')
    history.addUser('two', { at: 0 })
    expect(texts(history)).toEqual(['tool', 'user: two'])
  })

  it('makes room for words when they begin to be heard', () => {
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

describe('a stored history', () => {
  const full = (): History => {
    const history = new History()
    history.addUser('Hello?', { at: 1 })
    const words = history.speak({ at: 2, agent: 'desk' })
    words.heard('Good mor')
    words.end({ interrupted: true })
    const { id } = history.callTool({ call: 'c', name: 'a', input: '{', at: 3, agent: 'desk' })
    history.endTool(id, { output: 'bad input', failed: true, at: 4 })
    history.handOff({ from: 'desk', to: 'billing', at: 5 })
    return history
  }
  const stored = (history: History): unknown => JSON.parse(JSON.stringify(history))

  it('is plain JSON with a version, and the same after resuming', () => {
    const history = full()
    expect(stored(history)).toMatchObject({ version: 1, dropped: 0, items: history.items })
    const resumed = History.from(stored(history))
    expect(resumed.items).toEqual(history.items)
    expect(resumed.toJSON()).toEqual(history.toJSON())
  })

  it('goes on with new ids, also after those that were given to nothing heard', () => {
    const history = full()
    history.speak({ at: 6 }).end()
    const resumed = History.from(stored(history))
    expect(resumed.addUser('Again', { at: 7 })!.id).toBe('i6')
    expect(History.from({ ...history.toJSON(), lastId: 0 }).addUser('Again', { at: 7 })!.id).toBe('i5')
  })

  it('a tool that was running then has failed: nobody is left to bring its result', () => {
    const history = new History()
    const { id } = call(history, 'slow', 7)
    const resumed = History.from(stored(history))
    expect(resumed.items).toMatchObject([{ id, result: { failed: true, at: 7 } }])
    expect(resumed.endTool(id, { output: 'after all', failed: false, at: 9 })).toBe(false)
  })

  it('keeps to the limit of the new session', () => {
    const history = full()
    history.addUser('Still there?', { at: 8 })
    const resumed = History.from(stored(history), { maxItems: 3 })
    expect(texts(resumed)).toEqual(['user: Still there?'])
    expect(resumed.dropped).toBe(4)
    expect(History.from(stored(resumed)).dropped).toBe(4)
  })

  it('shares nothing with what it was made from', () => {
    const json = stored(full()) as { items: { text: string }[] }
    const resumed = History.from(json)
    json.items[0]!.text = 'changed'
    expect(texts(resumed)[0]).toBe('user: Hello?')
    for (const item of resumed.items) expect(Object.isFrozen(item)).toBe(true)
  })

  it.each([
    [undefined, 'history must be an object; it is missing'],
    ['{}', 'history must be an object; it is "{}"'],
    [[], 'history must be an object; it is an array'],
    [{ version: 1, dropped: 0, lastId: 0 }, 'history.items must be an array'],
    [{ version: 1, dropped: 0, lastId: 0, items: [null] }, 'history.items[0] must be an object'],
    [{ version: 1, dropped: -1, lastId: 0, items: [] }, 'history.dropped must be a whole number'],
    [{ version: 1, dropped: 0, lastId: 0.5, items: [] }, 'history.lastId must be a whole number'],
  ])('that is none is refused: %j', (json, message) => {
    expect(() => History.from(json)).toThrow(HistoryError)
    expect(() => History.from(json)).toThrow(message)
  })

  it.each([
    [{ type: 'song' }, "type must be 'message', 'tool' or 'handoff'; it is \"song\""],
    [{ at: null }, 'at must be a finite number; it is null'],
    [{ id: 4 }, 'id must be a string; it is 4'],
    [{ role: 'system' }, 'role must be "user" or "agent"; it is "system"'],
    [{ text: { toString: 'x' } }, 'text must be a string; it is an object'],
    [{ interrupted: 'yes' }, 'interrupted must be true; it is "yes"'],
    [{ agent: 5 }, 'agent must be a string; it is 5'],
    [{ type: 'tool', call: 'c', name: 'n' }, 'input must be a string; it is missing'],
    [{ type: 'tool', call: 'c', name: 'n', input: '', result: 5 }, 'result must be an object; it is 5'],
    [
      { type: 'tool', call: 'c', name: 'n', input: '', result: { output: '', failed: 1, at: 0 } },
      'result.failed must be true or false; it is 1',
    ],
    [{ type: 'handoff', from: 'a' }, 'to must be a string; it is missing'],
  ])('with an item that is none is refused: %j', (wrong, message) => {
    const item = { type: 'message', id: 'i1', at: 0, role: 'user', text: 'Hi', ...wrong }
    const read = (): History => History.from({ version: 1, dropped: 0, lastId: 1, items: [item] })
    expect(read).toThrow(`cannot read a stored history: history.items[0].${message}`)
    expect(read).toThrow(expect.objectContaining({ code: 'HISTORY_MALFORMED' }) as EndwellError)
  })

  it('with one id twice is refused', () => {
    const item = { type: 'message', id: 'i1', at: 0, role: 'user', text: 'Hi' }
    expect(() => History.from({ version: 1, dropped: 0, lastId: 1, items: [item, item] })).toThrow(
      'history.items[1].id must be unique; it is "i1"',
    )
  })

  it('of another version is refused, saying what to do', () => {
    const json = { version: 2, dropped: 0, lastId: 0, items: [] }
    expect(() => History.from(json)).toThrow(
      'only version 1 is supported: resume it with the version of endwell that stored it',
    )
    expect(() => History.from(json)).toThrow(
      expect.objectContaining({ code: 'HISTORY_VERSION' }) as EndwellError,
    )
  })

  it('whatever is given for one, it is read or refused, and nothing else', () => {
    const items = fc.array(
      fc.oneof(fc.jsonValue(), fc.record({ type: fc.constant('message'), id: fc.string() })),
    )
    const json = fc.oneof(
      fc.jsonValue(),
      fc.record({ version: fc.constant(1), items, dropped: fc.nat(), lastId: fc.nat() }),
    )
    fc.assert(
      fc.property(json, (value) => {
        try {
          History.from(value)
        } catch (error) {
          expect(error).toBeInstanceOf(HistoryError)
        }
      }),
    )
  })
})

it('whatever happens, items keep to the limit, every call has its result, and storing loses nothing', () => {
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
