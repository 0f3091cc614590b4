import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EndwellError } from '../../scope/index.ts'
import { MAX_VENDOR_DATA } from './history-item.ts'
import { HistoryError } from './history-json.ts'
import { History } from './history.ts'

const textsOf = ({ items }: History): string[] =>
  items.flatMap((item) => (item.type === 'message' ? `${item.role}: ${item.text}` : []))

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
  const withKeys = (): History => {
    const history = full()
    for (const interrupted of [true, false]) {
      const keys = history.press({ at: 6, agent: 'billing' })
      keys.heard('1w2')
      keys.end({ interrupted })
    }
    return history
  }
  const stored = (history: History): unknown => JSON.parse(JSON.stringify(history))

  it('is plain JSON with a version, and is the same after resuming', () => {
    const history = withKeys()
    expect(stored(history)).toMatchObject({ version: 1, dropped: 0, items: history.items })
    const resumed = History.from(stored(history))
    expect(resumed.items).toEqual(history.items)
    expect(resumed.toJSON()).toEqual(history.toJSON())
  })

  it('continues with new ids, and does not reuse ids of unheard speech', () => {
    const history = full()
    history.speak({ at: 6 }).end()
    const resumed = History.from(stored(history))
    expect(resumed.addUser('Again', { at: 7 })!.id).toBe('i6')
    expect(History.from({ ...history.toJSON(), lastId: 0 }).addUser('Again', { at: 7 })!.id).toBe('i5')
  })

  it('has failed results for tools that were running when it was stored', () => {
    const history = new History()
    const { id } = history.callTool({ call: 'c', name: 'slow', input: '{}', at: 7 })
    const resumed = History.from(stored(history))
    expect(resumed.items).toMatchObject([{ id, result: { failed: true, at: 7 } }])
    expect(resumed.endTool(id, { output: 'after all', failed: false, at: 9 })).toBe(false)
  })

  it('is cut to the limit of the new session', () => {
    const history = full()
    history.addUser('Still there?', { at: 8 })
    const resumed = History.from(stored(history), { maxItems: 3 })
    expect(textsOf(resumed)).toEqual(['user: Still there?'])
    expect(resumed.dropped).toBe(4)
    expect(History.from(stored(resumed)).dropped).toBe(4)
  })

  it('[PR4] keeps vendor data beside its items, the newest up to a limit', () => {
    const history = new History()
    const data = (letter: string): string => letter.repeat(MAX_VENDOR_DATA / 2)
    for (const letter of ['a', 'b', 'c'])
      history.callTool({
        call: letter,
        name: 'find',
        input: '{}',
        at: 1,
        vendor: { model: 'm', data: data(letter) },
      })
    const resumed = History.from(stored(history))
    for (const each of [history, resumed]) {
      expect(JSON.stringify(each.items)).not.toContain('bbb')
      expect(Object.keys(each.toJSON().vendor ?? {})).toEqual(['i2', 'i3'])
      const calls = each.toMessages().filter(({ role }) => role === 'tool-call')
      expect(calls.map((call) => 'vendor' in call && call.vendor?.data[0])).toEqual([false, 'b', 'c'])
    }
    expect(() => History.from({ ...history.toJSON(), vendor: { i1: { model: 'm', data: 7 } } })).toThrow(
      'history.vendor.i1.data must be a string; it is 7',
    )
  })

  it('keeps the calls of one answer together', () => {
    const history = new History()
    const { id } = history.callTool({ call: 'a', name: 'find', input: '{}', at: 1 })
    history.callTool({ call: 'b', name: 'find', input: '{}', at: 1, with: id })
    history.callTool({ call: 'c', name: 'find', input: '{}', at: 2 })
    const messages = History.from(stored(history)).toMessages()
    expect(messages.map((message) => ('id' in message ? `${message.role} ${message.id}` : ''))).toEqual([
      'tool-call a',
      'tool-call b',
      'tool-result a',
      'tool-result b',
      'tool-call c',
      'tool-result c',
    ])
  })

  it('shares no objects with the JSON it was read from', () => {
    const json = stored(full()) as { items: { text: string }[] }
    const resumed = History.from(json)
    json.items[0]!.text = 'changed'
    expect(textsOf(resumed)[0]).toBe('user: Hello?')
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
  ])('is rejected if it is malformed: %j', (json, message) => {
    expect(() => History.from(json)).toThrow(HistoryError)
    expect(() => History.from(json)).toThrow(message)
  })

  it.each([
    [{ type: 'song' }, "type must be 'message', 'tool', 'handoff' or 'keys'; it is \"song\""],
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
    [{ type: 'keys' }, 'keys must be a string; it is missing'],
    [{ type: 'keys', keys: '1', interrupted: 1 }, 'interrupted must be true; it is 1'],
    [{ type: 'handoff', from: 'a' }, 'to must be a string; it is missing'],
  ])('is rejected if an item is malformed: %j', (wrong, message) => {
    const item = { type: 'message', id: 'i1', at: 0, role: 'user', text: 'Hi', ...wrong }
    const read = (): History => History.from({ version: 1, dropped: 0, lastId: 1, items: [item] })
    expect(read).toThrow(`cannot read a stored history: history.items[0].${message}`)
    expect(read).toThrow(expect.objectContaining({ code: 'HISTORY_MALFORMED' }) as EndwellError)
  })

  it('is rejected if two items have the same id', () => {
    const item = { type: 'message', id: 'i1', at: 0, role: 'user', text: 'Hi' }
    expect(() => History.from({ version: 1, dropped: 0, lastId: 1, items: [item, item] })).toThrow(
      'history.items[1].id must be unique; it is "i1"',
    )
  })

  it('is rejected if its version is unknown, with advice what to do', () => {
    const json = { version: 2, dropped: 0, lastId: 0, items: [] }
    expect(() => History.from(json)).toThrow(
      'only version 1 is supported: resume it with the version of endwell that stored it',
    )
    expect(() => History.from(json)).toThrow(
      expect.objectContaining({ code: 'HISTORY_VERSION' }) as EndwellError,
    )
  })

  it('is either read or rejected with a HistoryError, whatever the input is', () => {
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
