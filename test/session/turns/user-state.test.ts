import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../../src/session/hearing/turn-events.ts'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import {
  agentSpeaks,
  agentStops,
  agentThinks,
  final,
  interim,
  key,
  simple,
  TurnDriver,
  typed,
  userStarts,
  userStops,
} from './turn-driver.ts'

describe('the state of the user', () => {
  const states = (options: TurnOptions, ...events: readonly TurnEvent[]): string[] =>
    new TurnDriver(options, events).lines('user-state')

  it('goes from speaking to finishing to silent', () => {
    expect(states({}, userStarts(0), final(900, 'Hello.'), userStops(1_000))).toEqual([
      '0 speaking',
      '1000 finishing',
      '1500 silent',
    ])
    expect(states({}, userStarts(0), userStops(1_000))).toEqual([
      '0 speaking',
      '1000 finishing',
      '4000 silent',
    ])
  })

  it('is finishing while words wait for the agent', () => {
    expect(
      states(
        {},
        agentSpeaks(0, false),
        userStarts(0),
        final(900, 'Hello.'),
        userStops(1_000),
        agentStops(9_000),
      ).slice(1),
    ).toEqual(['1000 finishing', '9000 silent'])
  })

  it('is finishing in mode manual only after the application has ended the turn', () => {
    const spoken = [userStarts(0), interim(900, 'Hel'), userStops(1_000)]
    expect(states({ mode: 'manual' }, ...spoken, simple('commit', 2_000))).toEqual([
      '0 speaking',
      '1000 silent',
      '2000 finishing',
      '5000 silent',
    ])
  })
})

describe('an idle user', () => {
  const idle = (...events: readonly TurnEvent[]): string[] =>
    new TurnDriver({ idle: 5_000, dtmf: {}, preemptive: true }, events).lines('user-idle')

  it('is reported once after both sides were silent for the idle time', () => {
    expect(idle(simple('live', 0))).toEqual(['5000 user-idle'])
    expect(idle(simple('live', 0), agentSpeaks(1_000), agentStops(3_000))).toEqual(['8000 user-idle'])
    expect(idle(simple('live', 0), userStarts(1_000), userStops(2_000))).toEqual(['10000 user-idle'])
  })

  it('is reported again only after activity', () => {
    expect(
      idle(simple('live', 0), final(9_000, ''), simple('live', 9_500), userStarts(20_000), userStops(21_000)),
    ).toEqual(['5000 user-idle', '29000 user-idle'])
    expect(idle(simple('live', 0), key(9_000, '#'))).toEqual(['5000 user-idle', '14000 user-idle'])
  })

  it('is not reported while anything is in flight', () => {
    const tool = (at: number, running: boolean): TurnEvent => ({ type: 'tool', at, running })
    expect(idle(simple('live', 0), tool(1_000, true), tool(8_000, false))).toEqual(['13000 user-idle'])
    expect(idle(simple('live', 0), agentThinks(1_000), agentThinks(8_000, false))).toEqual([
      '13000 user-idle',
    ])
    expect(idle(simple('live', 0), key(3_000, '1'))).toEqual(['11000 user-idle'])
    expect(idle(simple('live', 0), userStarts(1_000), userStops(9_000), final(9_000, ''))).toEqual([
      '14000 user-idle',
    ])
  })

  it('is timed from a turn that gets no answer', () => {
    expect(idle(simple('live', 0), typed(2_000, 'Hello'))).toEqual(['7000 user-idle'])
  })

  it('is reported in mode manual even if there are uncommitted words', () => {
    const events = [userStarts(0), final(900, 'Hello.'), userStops(1_000)]
    expect(new TurnDriver({ mode: 'manual', idle: 5_000 }, events).lines('user-idle')).toEqual([
      '6000 user-idle',
    ])
  })

  it('is reported with the start of the silence, and not at all by default', () => {
    expect(new TurnDriver({ idle: 10 }, [simple('live', 5)]).commands.at(-1)?.command).toEqual({
      type: 'user-idle',
      since: 5,
    })
    expect(new TurnDriver({}, [simple('live', 0)]).commands).toEqual([])
  })
})

describe('pending words', () => {
  const pending = (...events: readonly TurnEvent[]): unknown =>
    new TurnDriver({}, events, events.at(-1)?.at ?? 0).machine.pendingWords

  it('are empty if nothing was said or everything is committed', () => {
    const none = { speaking: false, transcribing: false, text: '' }
    expect(pending()).toEqual(none)
    expect(pending(userStarts(0), userStops(500), final(600, ''))).toEqual(none)
    expect(pending(userStarts(0), final(400, 'Hello.'), userStops(500), simple('live', 1_100))).toEqual(none)
  })

  it('are first spoken, then transcribed, then final', () => {
    const spoken = [userStarts(0), final(400, 'I'), interim(500, 'wan')]
    expect(pending(...spoken)).toEqual({ speaking: true, transcribing: false, text: 'I wan' })
    expect(pending(...spoken, userStops(600))).toEqual({ speaking: false, transcribing: true, text: 'I wan' })
    expect(pending(...spoken, userStops(600), final(700, 'want'))).toEqual({
      speaking: false,
      transcribing: false,
      text: 'I want',
    })
  })

  it('are still tracked while the session is ending', () => {
    const spoken = [userStarts(0), simple('ending', 100), interim(500, 'Goo'), userStops(600)]
    expect(pending(...spoken)).toEqual({ speaking: false, transcribing: true, text: 'Goo' })
    expect(pending(...spoken, final(5_000, 'Goodbye.'))).toEqual({
      speaking: false,
      transcribing: false,
      text: 'Goodbye.',
    })
  })

  it('include turns that wait for the agent', () => {
    const said = [
      agentSpeaks(0, false),
      userStarts(0),
      final(400, 'Hello.'),
      userStops(500),
      simple('live', 2_000),
    ]
    expect(pending(...said, typed(2_100, 'Hi'))).toEqual({
      speaking: false,
      transcribing: false,
      text: 'Hello. Hi',
    })
  })
})
