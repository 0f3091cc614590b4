import { describe, expect, it } from 'vitest'
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

describe('a false interruption', () => {
  const options: TurnOptions = { falseInterruption: { timeout: 1_000 } }
  const cough = [agentSpeaks(0), userStarts(1_000), userStops(1_200)]

  it('[SP9] pauses the agent, and resumes it if no words arrive in time', () => {
    expect(agentCommands(options, ...cough)).toEqual(['1000 pause', '2200 resume'])
  })

  it('[SP9] resumes the agent at once when it certainly has no words', () => {
    expect(agentCommands(options, ...cough, final(1_400, ''))).toEqual(['1000 pause', '1400 resume'])
    expect(agentCommands(options, ...cough, simple('discard', 1_500))).toEqual(['1000 pause', '1500 resume'])
  })

  it('[SP9] does not resume the agent once words have arrived, even before they are final', () => {
    expect(agentCommands(options, ...cough, interim(1_900, 'Sto'), final(3_000, 'Stop.'))).toEqual([
      '1000 pause',
      '3000 interrupt',
      '3000 commit Stop.',
    ])
  })

  it('[SP9] does not resume the agent after a turn was committed', () => {
    expect(agentCommands(options, ...cough, typed(1_500, 'Stop'))).toEqual([
      '1000 pause',
      '1500 interrupt',
      '1500 commit Stop',
    ])
    expect(
      agentCommands(options, ...cough, typed(1_500, 'Stop'), final(1_600, ''), agentStops(1_700)),
    ).toHaveLength(3)
  })

  it('[SP9] does not resume the agent when the session is ending, but interrupts it', () => {
    expect(agentCommands(options, ...cough, simple('ending', 1_500), final(1_600, ''))).toEqual([
      '1000 pause',
      '1500 interrupt',
    ])
  })

  it('resumes the agent if the interim words are withdrawn', () => {
    expect(agentCommands(options, ...cough, interim(1_900, 'Sto'), interim(2_500, ''))).toEqual([
      '1000 pause',
      '2500 resume',
    ])
  })

  it('becomes a real interruption when it is long enough', () => {
    expect(agentCommands(options, agentSpeaks(0), userStarts(1_000), userStops(1_600))).toEqual([
      '1000 pause',
      '1500 interrupt',
    ])
  })

  it('waits for a user who speaks again', () => {
    expect(agentCommands(options, ...cough, userStarts(2_000), userStops(2_300))).toEqual([
      '1000 pause',
      '3300 resume',
    ])
  })

  describe('with minWords', () => {
    const withMinWords: TurnOptions = { ...options, bargeIn: { minWords: 2 } }

    it('resumes the agent during endless noise, which does not pause it again', () => {
      expect(
        agentCommands(withMinWords, agentSpeaks(0), userStarts(1_000), agentThinks(5_000), userStops(9_000)),
      ).toEqual(['1000 pause', '2000 resume'])
    })

    it('interrupts when such noise turns into words', () => {
      expect(
        agentCommands(withMinWords, agentSpeaks(0), userStarts(1_000), interim(3_000, 'No wait')).slice(0, 3),
      ).toEqual(['1000 pause', '2000 resume', '3000 interrupt'])
    })

    it('resumes the agent after a murmur, which is committed later', () => {
      expect(agentCommands(withMinWords, ...cough, final(1_300, 'Mhm.'), agentStops(5_000))).toEqual([
        '1000 pause',
        '1700 resume',
        '5000 commit Mhm.',
      ])
    })
  })

  it('pauses the agent only after pauseAfter', () => {
    const patient: TurnOptions = { falseInterruption: { timeout: 1_000, pauseAfter: 300 } }
    expect(agentCommands(patient, ...cough)).toEqual([])
    expect(agentCommands(patient, agentSpeaks(0), userStarts(1_000), userStops(1_400))).toEqual([
      '1300 pause',
      '2400 resume',
    ])
  })

  it('pauses an outdated answer while words wait to be committed', () => {
    const events = [
      userStarts(0),
      final(900, 'Hello.'),
      userStops(1_000),
      agentThinks(1_100),
      agentSpeaks(1_200),
    ]
    expect(agentCommands(options, ...events)).toEqual(['1200 pause', '1500 interrupt', '1500 commit Hello.'])
  })

  it('ends when the agent stops for another reason', () => {
    expect(agentCommands(options, ...cough, agentStops(1_500, 'interrupted'))).toEqual(['1000 pause'])
  })

  it('is off by default', () => {
    expect(agentCommands({}, ...cough)).toEqual([])
  })
})
