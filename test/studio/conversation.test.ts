import { describe, expect, it } from 'vitest'
import type { LiveEvent, LiveMessage, SessionSummary } from '../../src/host/index.ts'
import { eventsOfItems } from '../../src/host/report-events.ts'
import { tool } from '../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../src/testing/index.ts'
import {
  activityOf,
  applyToConversation,
  emptyConversation,
  restOf,
  type Conversation,
} from '../../studio/src/live/conversation.ts'
import { aLiveCall } from '../session/fixture.ts'

type WithoutTime<E> = E extends LiveEvent ? Omit<E, 'at'> : never

const batch = (
  events: readonly WithoutTime<LiveEvent>[],
  saying?: { speech: number; text: string },
): LiveMessage => ({
  type: 'batch',
  now: 0,
  events: events.map((event) => ({ at: 0, ...event })),
  changes: [],
  statuses: [],
  ...(saying ? { saying: { at: 0, ...saying } } : {}),
})

const after = (...events: readonly WithoutTime<LiveEvent>[]): Conversation =>
  applyToConversation(emptyConversation, batch(events))

const spoken = (
  text: string,
  heard: string,
  how: 'played' | 'interrupted' | 'failed',
): WithoutTime<LiveEvent> => ({
  type: 'spoken',
  speech: 1,
  text,
  heard,
  how,
  confirmed: true,
})

describe('the transcript', () => {
  it('says of a call that has ended which tool did not stop, and has no tool that runs', () =>
    inVirtualTime(async (world) => {
      const tools = { book: tool({ description: 'Books', run: () => new Promise(() => {}) }) }
      const call = await aLiveCall(world, { agent: { tools }, answers: [[callTool('book')]] })
      call.caller.types('Book!')
      await world.clock.elapse(100)
      const report = await call.session.close()
      const summary: SessionSummary = { id: 'one', state: 'closed', addedAt: 0, turns: 1, errors: 0 }
      const named = (name: string) => ({ type: 'tool', id: name, name, input: '{}' }) as const
      const live = after(named('find'), named('book'))
      const ended = applyToConversation(live, { type: 'closed', summary, report })
      expect(ended.entries).toMatchObject([
        { name: 'find', how: 'stopped' },
        { name: 'book', how: 'stuck' },
      ])
    }))

  it('has a speech as unheard while it plays, and as heard afterwards', () => {
    const during = after({ type: 'speaking', speech: 1, text: 'Good morning.' })
    expect(during.entries).toMatchObject([{ heard: '', unheard: 'Good morning.', how: 'playing' }])
    const ended = applyToConversation(during, batch([spoken('Good morning.', 'Good morning.', 'played')]))
    expect(ended.entries).toMatchObject([{ heard: 'Good morning.', unheard: '', how: 'played' }])
  })

  it('adds text to a speech while the model generates it', () => {
    const during = after({ type: 'speaking', speech: 1, text: 'Good' })
    const more = applyToConversation(during, batch([], { speech: 1, text: 'Good morning.' }))
    expect(more.entries).toMatchObject([{ unheard: 'Good morning.' }])
  })

  it('splits an interrupted speech where the caller stopped hearing it', () => {
    const now = after(
      { type: 'speaking', speech: 1, text: 'Good morning.' },
      spoken('Good morning.', 'Good', 'interrupted'),
    )
    expect(now.entries).toMatchObject([{ heard: 'Good', unheard: ' morning.', how: 'interrupted' }])
    expect(applyToConversation(now, batch([], { speech: 1, text: 'Good morning. And' })).entries).toEqual(
      now.entries,
    )
  })

  it('has a speech of which nothing was heard, unless it had no text', () => {
    expect(after(spoken('Good morning.', '', 'interrupted')).entries).toMatchObject([
      { heard: '', unheard: 'Good morning.', how: 'interrupted' },
    ])
    expect(after(spoken('', '', 'interrupted')).entries).toEqual([])
  })

  it('replaces the interim text by the final text', () => {
    const guess = after({ type: 'hearing', text: 'when are' })
    expect(guess.interim).toBe('when are')
    const said = applyToConversation(guess, batch([{ type: 'user', text: 'When are you open?' }]))
    expect(said).toMatchObject({ interim: '', entries: [{ kind: 'user', text: 'When are you open?' }] })
  })

  it('says when each turn began and ended', () => {
    const events: LiveEvent[] = [
      { at: 10, type: 'hearing', text: 'when' },
      { at: 20, type: 'hearing', text: 'when are' },
      { at: 30, type: 'user', text: 'When are you open?' },
      { at: 40, type: 'speaking', speech: 1, text: 'At' },
      { at: 50, ...spoken('At eight.', 'At eight.', 'played') },
      { at: 60, type: 'user', text: 'Typed.' },
    ]
    const now = applyToConversation(emptyConversation, {
      type: 'batch',
      now: 0,
      events,
      changes: [],
      statuses: [],
    })
    expect(now.entries.map(({ at }) => at)).toEqual([10, 40, 60])
    expect(now.entries).toMatchObject([{ endedAt: 30 }, { endedAt: 50 }, { endedAt: 60 }])
  })

  it('has a line for what happened besides: transfers, a broken connection, guardrails, faults', () => {
    const now = after(
      { type: 'transfer', to: '+4930123456' },
      { type: 'transfer', to: '+4930123456', outcome: 'busy' },
      { type: 'hold', held: true },
      { type: 'hold', held: false },
      { type: 'line', connected: false },
      { type: 'line', connected: true },
      { type: 'guardrail', name: 'advice', on: 'output', verdict: 'a diagnosis' },
      { type: 'fault', name: 'close hangs', on: true },
      { type: 'warning', reason: 'max-duration', left: 30_000 },
      { type: 'error', where: 'tts', error: { name: 'Error', message: 'no voice' } },
    )
    expect(now.entries.map((entry) => entry.kind === 'note' && entry.text)).toEqual([
      'Connecting the caller to +4930123456…',
      '+4930123456 is busy',
      'The caller is on hold',
      'The caller is no longer on hold',
      'The connection to the caller broke',
      'The caller is connected again',
      'Guardrail advice blocked what the agent said: a diagnosis',
      'Fault “close hangs” on',
      'The call will end in 30 s: its time is nearly up',
      'The TTS failed: no voice',
    ])
  })

  it('gives each entry a key that does not change', () => {
    const now = after(
      { type: 'user', text: 'a' },
      { type: 'speaking', speech: 1, text: 'b' },
      spoken('b', 'b', 'played'),
    )
    expect(now.entries.map(({ key }) => key)).toEqual(['n1', 'n2'])
  })

  it('keeps the last 2,000 entries', () => {
    const events = Array.from({ length: 2_100 }, (_, i) => ({ type: 'user', text: `${i}` }) as const)
    const { entries } = after(...events)
    expect([entries.length, entries.at(-1)]).toMatchObject([2_000, { text: '2099' }])
  })

  type AnsweredBy = Extract<LiveEvent, { type: 'answered' }>['by']

  it('says who answered, and if the carrier says otherwise later', () => {
    const by = (who: AnsweredBy, late: boolean): WithoutTime<LiveEvent> => ({
      type: 'answered',
      by: who,
      how: 'carrier',
      late,
    })
    expect(after(by('person', false), by('machine', true)).entries).toMatchObject([
      { kind: 'note', tone: 'plain', text: 'A person answered' },
      { kind: 'note', tone: 'warn', text: 'The carrier says: An answering machine answered' },
    ])
    expect(after(by('menu', false), by('unknown', false)).entries).toMatchObject([
      { text: 'A telephone menu answered' },
      { text: 'It is not known who answered' },
    ])
  })

  it('ignores an event that it does not know', () => {
    expect(after({ type: 'dance', text: 'x' } as never).entries).toEqual([])
  })
})

describe('a tool call', () => {
  it('[TL10] that was cancelled or refused has not failed', () => {
    const call = { type: 'tool', id: 'c1', name: 'book', input: '{}' } as const
    const done = { type: 'tool-done', id: 'c1', name: 'book', output: 'cancelled', failed: true } as const
    expect(after(call, { ...done, stopped: 'cancelled' }).entries).toMatchObject([
      { how: 'stopped', detail: '' },
    ])
    expect(after(call, done).entries).toMatchObject([{ how: 'failed', detail: 'cancelled' }])
  })

  it('shows its progress, and then its output', () => {
    const call = { type: 'tool', id: 'c1', name: 'book', input: '{}' } as const
    const running = after(call, { type: 'progress', id: 'c1', name: 'book', update: 'asking' })
    expect(running.entries).toMatchObject([{ how: 'running', detail: 'asking' }])
    const done = { type: 'tool-done', id: 'c1', name: 'book', output: 'done', failed: false } as const
    const again = applyToConversation(running, batch([done, call]))
    const late = { type: 'progress', id: 'c1', name: 'book', update: 'too late' } as const
    expect(applyToConversation(running, batch([done, late])).entries).toMatchObject([
      { how: 'done', detail: 'done' },
    ])
    // Models reuse the ids of calls.
    expect(again.entries).toMatchObject([{ how: 'done', detail: 'done' }, { how: 'running' }])
  })
})

describe('a tool call that needs approval', () => {
  it('waits until somebody has decided', () => {
    const asked = after(
      { type: 'tool', id: 'c1', name: 'book', input: '{}' },
      { type: 'approval', id: 'c1', name: 'book' },
    )
    expect(asked.entries).toMatchObject([{ how: 'running', approval: 'waiting' }])
    const decided = applyToConversation(asked, batch([{ type: 'approved', id: 'c1', approved: false }]))
    expect(decided.entries).toMatchObject([{ approval: 'refused' }])
  })
})

describe('the activity of the agent', () => {
  it('is thinking from the end of the turn to the first sound, and while a tool runs', () => {
    expect(activityOf(emptyConversation)).toBe('listening')
    const asked = after({ type: 'user', text: 'a' })
    expect(activityOf(asked)).toBe('thinking')
    const speaking = applyToConversation(asked, batch([{ type: 'speaking', speech: 1, text: 'b' }]))
    expect(activityOf(speaking)).toBe('speaking')
    const listening = applyToConversation(speaking, batch([spoken('b', 'b', 'played')]))
    expect(activityOf(listening)).toBe('listening')
    const running = applyToConversation(
      listening,
      batch([{ type: 'tool', id: 'c', name: 'book', input: '{}' }]),
    )
    expect(activityOf(running)).toBe('thinking')
  })
})

describe('a snapshot', () => {
  it('replaces the conversation, even in the middle of a speech', () => {
    const now = applyToConversation(after({ type: 'user', text: 'old' }), {
      type: 'snapshot',
      now: 0,
      summary: { id: 'a', state: 'live', agent: 'desk', addedAt: 0, turns: 1, errors: 0 },
      events: eventsOfItems([
        { type: 'message', id: 'i1', at: 1, role: 'user', text: 'Hello?' },
        { type: 'handoff', id: 'i2', at: 2, from: 'desk', to: 'billing' },
        { type: 'keys', id: 'i5', at: 3, keys: '1w2', agent: 'billing' },
        { type: 'tool', id: 'i3', at: 4, call: 'c1', name: 'bill', input: '{}' },
        { type: 'message', id: 'i4', at: 5, role: 'agent', text: 'Hm', agent: 'billing', interrupted: true },
      ]),
      saying: { at: 6, speech: 4, text: 'You owe us' },
      latencies: [{ ms: 500, stages: { model: 400, voice: 100 }, heard: 'confirmed', by: 'reply' }],
      spent: { usage: { turns: 1, toolCalls: 0, models: {} } },
    })
    expect(now).toMatchObject({
      state: 'live',
      agent: 'billing',
      latencies: [{ ms: 500 }],
      spent: { usage: { turns: 1 } },
      entries: [
        { kind: 'user', text: 'Hello?' },
        { kind: 'handoff', to: 'billing' },
        { kind: 'note', tone: 'plain', text: 'The agent pressed 1w2' },
        { kind: 'tool', how: 'running' },
        { kind: 'agent', heard: 'Hm', how: 'interrupted' },
        { kind: 'agent', unheard: 'You owe us', how: 'playing', agent: 'billing' },
      ],
    })
  })
})

describe('the unheard rest of a text', () => {
  it.each([
    ['Good morning.', 'Good', ' morning.'],
    ['Good morning.', '', 'Good morning.'],
    ['Good morning.', 'Good morning.', ''],
    ['Good  morning, you', 'Good morning,', ' you'],
    ['Good morning', 'Bad', 'Good morning'],
  ])('of “%s” is found after “%s” was heard', (text, heard, rest) => {
    expect(restOf(text, heard)).toBe(rest)
  })
})
