import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../../src/session/hearing/turn-events.ts'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import {
  agentCommands,
  agentSpeaks,
  agentStops,
  agentThinks,
  final,
  interim,
  simple,
  typed,
  userStarts,
  userStops,
} from './turn-driver.ts'

describe('barge-in', () => {
  it('interrupts once, after minDuration of speech', () => {
    expect(agentCommands({}, agentSpeaks(0), userStarts(1_000), userStops(3_000))).toEqual(['1500 interrupt'])
    expect(
      agentCommands(
        {},
        agentSpeaks(0),
        userStarts(1_000),
        interim(1_600, 'No'),
        userStops(3_000),
        final(3_100, 'No.'),
      ),
    ).toEqual(['1500 interrupt', '3500 commit No.'])
  })

  it('is timed from the real start of speech, not from when the VAD noticed it', () => {
    expect(agentCommands({}, agentSpeaks(0), userStarts(1_200, 1_000))).toEqual(['1500 interrupt'])
    expect(agentCommands({}, agentSpeaks(0), userStarts(1_700, 1_000))).toEqual(['1700 interrupt'])
  })

  it('does not interrupt if it is shorter than minDuration', () => {
    expect(agentCommands({}, agentSpeaks(0), userStarts(1_000), userStops(1_499))).toEqual([])
  })

  it('needs minWords as well', () => {
    const options: TurnOptions = { bargeIn: { minWords: 2 } }
    expect(
      agentCommands(
        options,
        agentSpeaks(0),
        userStarts(1_000),
        interim(1_200, 'No'),
        interim(1_900, 'No wait'),
      ).slice(0, 1),
    ).toEqual(['1900 interrupt'])
    expect(
      agentCommands(options, agentSpeaks(0), userStarts(1_000), interim(1_200, 'No wait')).slice(0, 1),
    ).toEqual(['1500 interrupt'])
  })

  it('is timed from the start of the agent if the user spoke before', () => {
    expect(agentCommands({}, userStarts(0), agentSpeaks(1_000))).toEqual(['1500 interrupt'])
    expect(agentCommands({ falseInterruption: {} }, userStarts(0), agentSpeaks(1_000)).slice(0, 1)).toEqual([
      '1000 pause',
    ])
  })

  it('interrupts however short it is when its words are committed', () => {
    expect(
      agentCommands({}, agentSpeaks(0), userStarts(1_000), userStops(1_300), final(1_400, 'Stop!')),
    ).toEqual(['1800 interrupt', '1800 commit Stop!'])
  })

  it('with too few words is held and committed when the agent is silent', () => {
    const options: TurnOptions = { bargeIn: { minWords: 2 } }
    const murmur = [agentSpeaks(0), userStarts(1_000), userStops(1_300), final(1_400, 'Yes.')]
    expect(agentCommands(options, ...murmur)).toEqual([])
    expect(agentCommands(options, ...murmur, agentStops(9_000))).toEqual(['9000 commit Yes.'])
    expect(agentCommands(options, ...murmur, simple('commit', 5_000))).toEqual([
      '5000 interrupt',
      '5000 commit Yes.',
    ])
    expect(agentCommands(options, ...murmur, typed(5_000, 'Stop'))).toEqual([
      '5000 interrupt',
      '5000 commit Yes. Stop',
    ])
  })

  it('does not add up the words of several murmurs', () => {
    const options: TurnOptions = { bargeIn: { minWords: 2 } }
    const murmurs = [2_000, 4_000, 6_000].flatMap((at) => [
      userStarts(at),
      final(at + 600, 'Mhm.'),
      userStops(at + 700),
    ])
    expect(agentCommands(options, agentSpeaks(0), ...murmurs, agentStops(9_000))).toEqual([
      '9000 commit Mhm. Mhm. Mhm.',
    ])
    expect(
      agentCommands(options, agentSpeaks(0), ...murmurs, userStarts(8_000), interim(8_600, 'No wait')).slice(
        0,
        1,
      ),
    ).toEqual(['8600 interrupt'])
  })

  it('that is held does not block the next words, in any mode', () => {
    const withoutVad: TurnOptions = { mode: 'stt', vad: false, bargeIn: { minWords: 2 } }
    const murmur = [agentSpeaks(0), final(1_000, 'Mhm.'), simple('end-of-turn', 1_100)]
    const next = [
      interim(6_000, 'No'),
      interim(6_200, 'No wait'),
      final(6_900, 'No wait.'),
      simple('end-of-turn', 7_000),
    ]
    expect(agentCommands(withoutVad, ...murmur, ...next)).toEqual([
      '6500 interrupt',
      '7000 commit Mhm. No wait.',
    ])
    const hand = [
      agentSpeaks(0, false),
      userStarts(0),
      final(900, 'One.'),
      simple('commit', 1_000),
      userStops(1_100),
    ]
    const more = [
      userStarts(6_000),
      interim(6_200, 'Tw'),
      interim(6_400, 'Two'),
      agentStops(6_500),
      final(6_600, 'Two.'),
    ]
    expect(agentCommands({ mode: 'manual' }, ...hand, ...more, simple('commit', 7_000))).toEqual([
      '6500 commit One.',
      '7000 commit Two.',
    ])
  })

  it('that has enough words interrupts as soon as the agent becomes interruptible', () => {
    const events = [
      agentThinks(0, true, false),
      userStarts(0),
      final(900, 'Hello.'),
      userStops(1_000),
      agentSpeaks(2_000),
    ]
    expect(agentCommands({}, ...events, agentThinks(3_000, false))).toEqual([
      '3000 interrupt',
      '3000 commit Hello.',
    ])
    const options: TurnOptions = { bargeIn: { minWords: 2 } }
    const said = [
      agentThinks(0, true, false),
      userStarts(0),
      final(900, 'Hello there.'),
      userStops(1_000),
      agentSpeaks(2_000),
    ]
    const murmur = [
      userStarts(2_100),
      final(2_300, 'Mhm.'),
      userStops(2_400),
      agentThinks(4_000, false),
      agentStops(9_000),
    ]
    expect(agentCommands(options, ...said, ...murmur)).toEqual([
      '4000 interrupt',
      '4000 commit Hello there. Mhm.',
    ])
  })

  it('neither pauses nor interrupts an uninterruptible speech, and is committed after it', () => {
    const options: TurnOptions = { falseInterruption: {} }
    const overlapping = [
      agentSpeaks(0, false),
      userStarts(1_000),
      final(2_000, 'Hello there.'),
      userStops(2_100),
    ]
    expect(agentCommands(options, ...overlapping, simple('barge-in', 2_200), agentStops(9_000))).toEqual([
      '9000 commit Hello there.',
    ])
    expect(agentCommands(options, ...overlapping, agentStops(2_300))).toEqual(['2600 commit Hello there.'])
    expect(
      agentCommands(
        options,
        ...overlapping,
        userStarts(8_900),
        agentStops(9_000),
        final(9_500, 'You?'),
        userStops(9_600),
      ),
    ).toEqual(['10100 commit Hello there. You?'])
  })

  it('is held while an uninterruptible reply is in progress, and committed after it', () => {
    const spoken = [agentThinks(0, true, false), userStarts(0), final(900, 'Hello.'), userStops(1_000)]
    expect(
      agentCommands({}, ...spoken, agentSpeaks(2_000, false), agentThinks(2_500, false), agentStops(4_000)),
    ).toEqual(['4000 commit Hello.'])
    expect(agentCommands({}, ...spoken, agentThinks(2_000, false))).toEqual(['2000 commit Hello.'])
  })

  it('interrupts a speech, but not the uninterruptible speech that follows it', () => {
    const events = [
      agentThinks(0, true, false),
      agentSpeaks(0),
      userStarts(100),
      final(900, 'Hello.'),
      userStops(1_000),
    ]
    expect(
      agentCommands(
        {},
        ...events,
        agentStops(1_100),
        agentSpeaks(1_200, false),
        agentThinks(1_200, false),
        agentStops(3_000),
      ),
    ).toEqual(['600 interrupt', '3000 commit Hello.'])
  })

  it('is not delayed by a running tool, and neither is its turn', () => {
    const tool: TurnEvent = { type: 'tool', at: 0, running: true }
    expect(
      agentCommands({}, tool, agentSpeaks(0), userStarts(1_000), final(1_800, 'Stop.'), userStops(2_000)),
    ).toEqual(['1500 interrupt', '2500 commit Stop.'])
  })

  it('by the application works in every mode, on speech and on a reply in progress', () => {
    for (const mode of ['vad', 'stt', 'realtime', 'manual'] as const) {
      expect(agentCommands({ mode }, agentSpeaks(0), simple('barge-in', 10), simple('barge-in', 20))).toEqual(
        ['10 interrupt'],
      )
      expect(agentCommands({ mode }, agentThinks(0), simple('barge-in', 10))).toEqual(['10 interrupt'])
      expect(agentCommands({ mode }, simple('barge-in', 10))).toEqual([])
    }
  })
})
