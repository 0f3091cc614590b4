import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../../src/session/hearing/turn-events.ts'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import {
  agentCommands,
  agentSpeaks,
  agentStops,
  agentThinks,
  commits,
  final,
  interim,
  key,
  TurnDriver,
  typed,
  userStarts,
  userStops,
} from './turn-driver.ts'

describe('typed text', () => {
  it('is committed at once, and interrupts the agent', () => {
    expect(agentCommands({}, agentSpeaks(0), typed(100, ' Hello '))).toEqual([
      '100 interrupt',
      '100 commit Hello',
    ])
    expect(agentCommands({ bargeIn: { minWords: 3 } }, agentSpeaks(0), typed(100, 'Hello'))).toHaveLength(2)
    expect(agentCommands({}, typed(100, '  '))).toEqual([])
  })

  it('is committed together with words that the user has finished saying', () => {
    expect(
      commits({}, userStarts(0), final(900, 'My name is'), userStops(1_000), typed(1_200, 'Ada')),
    ).toEqual(['1200 commit My name is Ada'])
    const late = [
      userStarts(0),
      interim(900, 'My name is'),
      userStops(1_000),
      typed(1_200, 'Ada'),
      final(1_300, 'My name is'),
    ]
    expect(commits({}, ...late)).toEqual(['1200 commit My name is Ada'])
  })

  it('leaves words that the user is still saying for the next turn', () => {
    const speaking = [userStarts(0), final(500, 'One.'), interim(900, 'Tw'), typed(1_000, 'Ada')]
    expect(commits({}, ...speaking, userStops(1_100), final(1_200, 'Two.'))).toEqual([
      '1000 commit One. Ada',
      '1600 commit Two.',
    ])
    expect(commits({}, userStarts(0), userStops(1_000), typed(1_100, 'Ada'), final(1_200, 'Two.'))).toEqual([
      '1100 commit Ada',
      '1500 commit Two.',
    ])
  })

  it('waits for uninterruptible speech', () => {
    expect(
      agentCommands({}, agentSpeaks(0, false), typed(100, 'One.'), typed(200, 'Two.'), agentStops(900)),
    ).toEqual(['900 commit One. Two.'])
  })
})

describe('telephone keys', () => {
  const text: TurnOptions = { dtmf: { as: 'text' } }
  const entries = (options: TurnOptions, ...events: readonly TurnEvent[]): string[] =>
    new TurnDriver(options, events).lines('digits', 'commit', 'interrupt')

  it('are ignored by default', () => {
    expect(new TurnDriver({}, [agentSpeaks(0), key(0, '1'), key(100, '#')]).commands).toEqual([])
  })

  it('are collected until the end key, and become an event or a turn', () => {
    expect(entries({ dtmf: {} }, key(0, '1'), key(100, '*'), key(200, '#'))).toEqual(['200 digits 1*'])
    expect(entries(text, key(0, '1'), key(100, '2'), key(200, '#'))).toEqual(['200 commit 12'])
    expect(entries({ dtmf: { endKey: '*' } }, key(0, '1'), key(100, '#'), key(200, '*'))).toEqual([
      '200 digits 1#',
    ])
  })

  it('are collected until there are `count` of them', () => {
    expect(entries({ dtmf: { count: 2 } }, key(0, '1'), key(100, '2'), key(200, '3'))).toEqual([
      '100 digits 12',
      '3200 digits 3',
    ])
  })

  it('are collected until none follows within the timeout', () => {
    expect(entries({ dtmf: { timeout: 500 } }, key(0, '1'), key(400, '2'))).toEqual(['900 digits 12'])
  })

  it('make an entry of a lone end key, unless it follows a complete entry out of habit', () => {
    expect(entries({ dtmf: {} }, key(0, '#'))).toEqual(['0 digits #'])
    const full = [key(0, '1'), key(100, '#')]
    expect(entries({ dtmf: { count: 1 } }, ...full)).toEqual(['0 digits 1'])
    expect(entries({ dtmf: { count: 1 } }, ...full, key(200, '#'))).toEqual(['0 digits 1', '200 digits #'])
    expect(entries({ dtmf: { count: 1, timeout: 50 } }, ...full)).toEqual(['0 digits 1', '100 digits #'])
  })

  it('interrupt the agent with the first key or, without `interrupts`, when the entry is a turn', () => {
    expect(entries(text, agentSpeaks(0), key(100, '1'), key(200, '#'))).toEqual([
      '100 interrupt',
      '200 commit 1',
    ])
    expect(
      entries({ dtmf: { as: 'text', interrupts: false } }, agentSpeaks(0), key(100, '1'), key(200, '#')),
    ).toEqual(['200 interrupt', '200 commit 1'])
    expect(entries({ dtmf: { interrupts: false } }, agentSpeaks(0), key(100, '#'))).toEqual(['100 digits #'])
  })

  it('do not interrupt uninterruptible speech or a reply in progress', () => {
    expect(entries(text, agentSpeaks(0, false), key(100, '1'), key(200, '#'), agentStops(900))).toEqual([
      '900 commit 1',
    ])
    expect(entries({ dtmf: {} }, agentThinks(0), key(100, '1'), key(200, '#'))).toEqual(['200 digits 1'])
  })
})
