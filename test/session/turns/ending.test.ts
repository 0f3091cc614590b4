import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../../src/session/hearing/turn-events.ts'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import {
  agentCommands,
  agentSpeaks,
  agentStops,
  final,
  format,
  interim,
  key,
  simple,
  TurnDriver,
  typed,
  userStarts,
  userStops,
} from './turn-driver.ts'

describe('an ending session', () => {
  const all: TurnOptions = {
    idle: 5_000,
    preemptive: true,
    falseInterruption: {},
    dtmf: { as: 'text' },
    endpointing: { mode: 'dynamic', detector: true },
  }

  it('gives no more commands', () => {
    const driver = new TurnDriver(all, [simple('live', 0), simple('ending', 100)], 100)
    const events = [
      userStarts(200),
      final(300, 'Hello.'),
      userStops(400),
      simple('commit', 500),
      simple('end-of-turn', 550),
      typed(600, 'Hi'),
      key(700, '1'),
      key(750, '#'),
      agentSpeaks(800),
      userStarts(900),
      simple('barge-in', 1_000),
      agentStops(1_100),
      simple('ending', 1_200),
    ]
    expect(events.flatMap((event) => driver.handle(event))).toEqual([])
  })

  it('clears every timer', () => {
    const driver = new TurnDriver(all, [key(0, '1'), userStarts(0), interim(100, 'Hel'), userStops(200)], 200)
    const commands = driver.handle(simple('ending', 300)).map(format)
    expect(commands).toEqual(['clear endpoint', 'clear stable', 'clear digits'])
    expect(driver.machine.state.timers).toEqual({})
  })

  it('still lets the user interrupt a goodbye with bargeIn', () => {
    const ending: TurnEvent = { type: 'ending', at: 0, bargeIn: true }
    expect(
      agentCommands(all, ending, agentSpeaks(100), userStarts(1_000), final(2_000, 'Wait'), userStops(2_100)),
    ).toEqual(['1500 interrupt'])
    expect(agentCommands(all, ending, agentSpeaks(100), simple('barge-in', 200))).toEqual(['200 interrupt'])
    expect(
      agentCommands(all, ending, agentSpeaks(100, false), userStarts(1_000), simple('barge-in', 1_200)),
    ).toEqual([])
  })

  it('that is cancelled commits what the user said meanwhile', () => {
    const ending: TurnEvent = { type: 'ending', at: 0, bargeIn: true }
    const said = [
      agentSpeaks(100),
      userStarts(1_000),
      final(2_000, 'Wait!'),
      userStops(2_100),
      agentStops(2_200),
      simple('live', 5_000),
    ]
    expect(agentCommands({}, ending, ...said)).toEqual(['1500 interrupt', '5000 commit Wait!'])
    expect(
      agentCommands({}, ending, userStarts(100), simple('live', 200), final(900, 'Wait!'), userStops(1_000)),
    ).toEqual(['1500 commit Wait!'])
    const stt = [userStarts(100), final(900, 'Wait!'), simple('end-of-turn', 950), simple('live', 1_000)]
    expect(agentCommands({ mode: 'stt' }, ending, ...stt)).toEqual(['1000 commit Wait!'])
  })
})
