import { describe, expect, it } from 'vitest'
import type { LiveEvent, LiveMessage } from '../../src/host/index.ts'
import { activityOf, nothingSaid, restOf, tell, type Conversation } from '../../studio/src/conversation.ts'

type Told<E> = E extends LiveEvent ? Omit<E, 'at'> : never

const batch = (
  events: readonly Told<LiveEvent>[],
  saying?: { speech: number; text: string },
): LiveMessage => ({
  type: 'batch',
  now: 0,
  events: events.map((event) => ({ at: 0, ...event })),
  changes: [],
  statuses: [],
  ...(saying ? { saying } : {}),
})

const after = (...events: readonly Told<LiveEvent>[]): Conversation => tell(nothingSaid, batch(events))

const spoken = (text: string, heard: string, how: 'played' | 'interrupted' | 'failed'): Told<LiveEvent> => ({
  type: 'spoken',
  speech: 1,
  text,
  heard,
  how,
  confirmed: true,
})

describe('what was said', () => {
  it('is on its way while it sounds, and heard when it was', () => {
    const during = after({ type: 'speaking', speech: 1, text: 'Good morning.' })
    expect(during.entries).toMatchObject([{ heard: '', rest: 'Good morning.', how: 'sounding' }])
    const over = tell(during, batch([spoken('Good morning.', 'Good morning.', 'played')]))
    expect(over.entries).toMatchObject([{ heard: 'Good morning.', rest: '', how: 'played' }])
  })

  it('grows while the model thinks', () => {
    const during = after({ type: 'speaking', speech: 1, text: 'Good' })
    const more = tell(during, batch([], { speech: 1, text: 'Good morning.' }))
    expect(more.entries).toMatchObject([{ rest: 'Good morning.' }])
  })

  it('is cut where the caller heard no more', () => {
    const now = after(
      { type: 'speaking', speech: 1, text: 'Good morning.' },
      spoken('Good morning.', 'Good', 'interrupted'),
    )
    expect(now.entries).toMatchObject([{ heard: 'Good', rest: ' morning.', how: 'interrupted' }])
    expect(tell(now, batch([], { speech: 1, text: 'Good morning. And' })).entries).toEqual(now.entries)
  })

  it('is shown also if nobody heard a word of it', () => {
    expect(after(spoken('Good morning.', '', 'interrupted')).entries).toMatchObject([
      { heard: '', rest: 'Good morning.', how: 'interrupted' },
    ])
    expect(after(spoken('', '', 'interrupted')).entries).toEqual([])
  })

  it('by the user replaces the guess', () => {
    const guess = after({ type: 'hearing', text: 'when are' })
    expect(guess.hearing).toBe('when are')
    const said = tell(guess, batch([{ type: 'user', text: 'When are you open?' }]))
    expect(said).toMatchObject({ hearing: '', entries: [{ kind: 'user', text: 'When are you open?' }] })
  })

  it('has its own key for each entry, which stays', () => {
    const now = after(
      { type: 'user', text: 'a' },
      { type: 'speaking', speech: 1, text: 'b' },
      spoken('b', 'b', 'played'),
    )
    expect(now.entries.map(({ key }) => key)).toEqual(['n1', 'n2'])
  })

  it('stays within bounds', () => {
    const events = Array.from({ length: 600 }, (_, i) => ({ type: 'user', text: `${i}` }) as const)
    const { entries } = after(...events)
    expect([entries.length, entries.at(-1)]).toMatchObject([500, { text: '599' }])
  })

  it('is not disturbed by an event of a newer host', () => {
    expect(after({ type: 'dance', text: 'x' } as never).entries).toEqual([])
  })
})

describe('tools', () => {
  it('tell how far they are, and how it went', () => {
    const call = { type: 'tool', id: 'c1', name: 'book', input: '{}' } as const
    const running = after(call, { type: 'progress', id: 'c1', name: 'book', update: 'asking' })
    expect(running.entries).toMatchObject([{ how: 'running', says: 'asking' }])
    const done = { type: 'tool-done', id: 'c1', name: 'book', output: 'done', failed: false } as const
    const again = tell(running, batch([done, call]))
    const late = { type: 'progress', id: 'c1', name: 'book', update: 'too late' } as const
    expect(tell(running, batch([done, late])).entries).toMatchObject([{ how: 'done', says: 'done' }])
    // Models use the names of calls again.
    expect(again.entries).toMatchObject([{ how: 'done', says: 'done' }, { how: 'running' }])
  })
})

describe('what the agent does', () => {
  it('is to think from the end of the turn to the first sound, and while a tool runs', () => {
    expect(activityOf(nothingSaid)).toBe('listening')
    const asked = after({ type: 'user', text: 'a' })
    expect(activityOf(asked)).toBe('thinking')
    const speaking = tell(asked, batch([{ type: 'speaking', speech: 1, text: 'b' }]))
    expect(activityOf(speaking)).toBe('speaking')
    const silent = tell(speaking, batch([spoken('b', 'b', 'played')]))
    expect(activityOf(silent)).toBe('listening')
    const tool = tell(silent, batch([{ type: 'tool', id: 'c', name: 'book', input: '{}' }]))
    expect(activityOf(tool)).toBe('thinking')
  })
})

describe('a snapshot', () => {
  it('begins anew, in the middle of a sentence too', () => {
    const now = tell(after({ type: 'user', text: 'old' }), {
      type: 'snapshot',
      now: 0,
      summary: { id: 'a', state: 'live', agent: 'desk', addedAt: 0, turns: 1, errors: 0 },
      items: [
        { type: 'message', id: 'i1', at: 0, role: 'user', text: 'Hello?' },
        { type: 'handoff', id: 'i2', at: 0, from: 'desk', to: 'billing' },
        { type: 'tool', id: 'i3', at: 0, call: 'c1', name: 'bill', input: '{}' },
        { type: 'message', id: 'i4', at: 0, role: 'agent', text: 'Hm', agent: 'billing', interrupted: true },
      ],
      saying: { speech: 4, text: 'You owe us' },
      latencies: [500],
    })
    expect(now).toMatchObject({
      state: 'live',
      agent: 'billing',
      latencies: [500],
      entries: [
        { kind: 'user', text: 'Hello?' },
        { kind: 'handoff', to: 'billing' },
        { kind: 'tool', how: 'running' },
        { kind: 'agent', heard: 'Hm', how: 'interrupted' },
        { kind: 'agent', rest: 'You owe us', how: 'sounding', agent: 'billing' },
      ],
    })
  })
})

describe('the rest of a text', () => {
  it.each([
    ['Good morning.', 'Good', ' morning.'],
    ['Good morning.', '', 'Good morning.'],
    ['Good morning.', 'Good morning.', ''],
    ['Good  morning, you', 'Good morning,', ' you'],
    ['Good morning', 'Bad', 'Good morning'],
  ])('%s, of which was heard %s', (text, heard, rest) => {
    expect(restOf(text, heard)).toBe(rest)
  })
})
