import { describe, expect, it } from 'vitest'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import {
  agentCommands,
  agentSpeaks,
  agentStops,
  final,
  interim,
  simple,
  TurnDriver,
  typed,
  userStarts,
  userStops,
} from './turn-driver.ts'

describe('turns with a realtime model', () => {
  const realtime: TurnOptions = { mode: 'realtime', bargeIn: { minWords: 5 }, falseInterruption: {} }

  it('are not committed by the machine', () => {
    const spoken = [userStarts(0), interim(900, 'Hel'), userStops(1_000), final(1_200, 'Hello.')]
    expect(
      new TurnDriver(realtime, [...spoken, simple('commit', 1_300)]).lines('commit', 'user-state'),
    ).toEqual(['0 speaking', '1000 silent'])
  })

  it('interrupt the agent at once, because the model has decided', () => {
    expect(agentCommands(realtime, agentSpeaks(0), userStarts(1_000, 900))).toEqual(['1000 interrupt'])
  })

  it('interrupt an agent that starts while the user speaks only after minDuration', () => {
    expect(agentCommands(realtime, userStarts(0), agentSpeaks(1_000))).toEqual(['1500 interrupt'])
    expect(agentCommands(realtime, userStarts(0), agentSpeaks(1_000), userStops(1_400))).toEqual([])
  })

  it('are pending until their text arrives, for at most maxDelay', () => {
    const spoken = [userStarts(0), interim(900, 'Hel'), userStops(1_000)]
    expect(new TurnDriver(realtime, spoken, 1_100).machine.pendingWords).toEqual({
      speaking: false,
      transcribing: true,
      text: 'Hel',
    })
    const none = { speaking: false, transcribing: false, text: '' }
    expect(new TurnDriver(realtime, [...spoken, final(1_200, 'Hello.')], 1_200).machine.pendingWords).toEqual(
      none,
    )
    expect(new TurnDriver(realtime, spoken).machine.pendingWords).toEqual(none)
  })

  it('do not prevent typed turns', () => {
    expect(
      agentCommands(
        realtime,
        userStarts(0),
        interim(500, 'Hel'),
        agentSpeaks(600, false),
        typed(700, 'Hi'),
        agentStops(800),
      ),
    ).toEqual(['800 commit Hi'])
  })
})
