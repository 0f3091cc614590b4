import { describe, expect, it } from 'vitest'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import {
  agentSpeaks,
  agentStops,
  final,
  interim,
  replyCommands,
  simple,
  typed,
  userStarts,
  userStops,
} from './turn-driver.ts'

describe('a preemptive reply', () => {
  const preemptive: TurnOptions = { preemptive: true }

  it('begins when the user stops with a final text, and is used if the user adds nothing', () => {
    expect(replyCommands(preemptive, userStarts(0), final(900, 'Hello.'), userStops(1_000))).toEqual([
      '1000 preempt Hello.',
      '1500 commit Hello. (preempted)',
    ])
    expect(replyCommands(preemptive, userStarts(0), userStops(1_000), final(1_100, 'Hello.'))).toEqual([
      '1100 preempt Hello.',
      '1500 commit Hello. (preempted)',
    ])
  })

  it('begins for an interim text that has been stable for stableFor', () => {
    const spoken = [userStarts(0), interim(900, 'Hello'), userStops(1_000)]
    expect(replyCommands(preemptive, ...spoken, final(1_300, 'Hello'))).toEqual([
      '1100 preempt Hello',
      '1500 commit Hello (preempted)',
    ])
    expect(
      replyCommands(preemptive, userStarts(0), interim(700, 'Hello'), userStops(1_000)).slice(0, 1),
    ).toEqual(['1000 preempt Hello'])
    expect(replyCommands(preemptive, ...spoken, interim(1_050, 'Hello you')).slice(0, 1)).toEqual([
      '1250 preempt Hello you',
    ])
  })

  it('is discarded when the text changes', () => {
    expect(
      replyCommands(
        preemptive,
        userStarts(0),
        interim(700, 'hello'),
        userStops(1_000),
        final(1_200, 'Hello.'),
      ),
    ).toEqual([
      '1000 preempt hello',
      '1200 discard-preempt',
      '1200 preempt Hello.',
      '1500 commit Hello. (preempted)',
    ])
  })

  it('is discarded when the user speaks again', () => {
    const again = [userStarts(1_200), userStops(1_800), final(1_900, 'two.')]
    expect(
      replyCommands(preemptive, userStarts(0), final(900, 'I want'), userStops(1_000), ...again),
    ).toEqual([
      '1000 preempt I want',
      '1200 discard-preempt',
      '1900 preempt I want two.',
      '2300 commit I want two. (preempted)',
    ])
  })

  it('is discarded by another turn, by `discard` and when the session is ending', () => {
    const spoken = [userStarts(0), final(900, 'I want'), userStops(1_000)]
    expect(replyCommands(preemptive, ...spoken, typed(1_200, 'tea'))).toEqual([
      '1000 preempt I want',
      '1200 discard-preempt',
      '1200 commit I want tea',
    ])
    for (const type of ['discard', 'ending'] as const)
      expect(replyCommands(preemptive, ...spoken, simple(type, 1_200))).toEqual([
        '1000 preempt I want',
        '1200 discard-preempt',
      ])
  })

  it('is begun at most `attempts` times per turn', () => {
    const options: TurnOptions = { preemptive: { attempts: 2 } }
    const pieces = [1_100, 1_200, 1_300].map((at) => final(at, 'and'))
    expect(replyCommands(options, userStarts(0), final(900, 'I'), userStops(1_000), ...pieces)).toEqual([
      '1000 preempt I',
      '1100 discard-preempt',
      '1100 preempt I and',
      '1200 discard-preempt',
      '1500 commit I and and and',
    ])
  })

  it('is not begun for a turn that waits for the agent, nor in modes manual and realtime', () => {
    const overlapping = [
      agentSpeaks(0, false),
      userStarts(100),
      final(900, 'Hello.'),
      userStops(1_000),
      agentStops(5_000),
    ]
    expect(replyCommands(preemptive, ...overlapping)).toEqual(['5000 commit Hello.'])
    for (const mode of ['manual', 'realtime'] as const)
      expect(
        replyCommands({ mode, preemptive: true }, userStarts(0), final(900, 'Hello.'), userStops(1_000)),
      ).toEqual([])
  })

  it('is off by default', () => {
    expect(replyCommands({}, userStarts(0), final(900, 'Hello.'), userStops(1_000))).toEqual([
      '1500 commit Hello.',
    ])
  })
})
