import { describe, expect, it } from 'vitest'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import {
  agentCommands,
  agentSpeaks,
  commits,
  final,
  interim,
  simple,
  TurnDriver,
  userStarts,
  userStops,
} from './turn-driver.ts'

describe('a turn that the STT ends', () => {
  const stt: TurnOptions = { mode: 'stt' }

  it('is committed at the end of turn, even while the VAD still hears a voice', () => {
    expect(
      commits(stt, userStarts(0), final(900, 'Hello.'), simple('end-of-turn', 950), userStops(1_000)),
    ).toEqual(['950 commit Hello.'])
    expect(
      commits(stt, userStarts(0), final(900, 'Hello.'), userStops(1_000), simple('end-of-turn', 1_900)),
    ).toEqual(['1900 commit Hello.'])
  })

  it('waits for a missing final text', () => {
    const events = [userStarts(0), interim(900, 'Hel'), simple('end-of-turn', 950)]
    expect(commits(stt, ...events, final(1_200, 'Hello.'))).toEqual(['1200 commit Hello.'])
    expect(commits(stt, ...events)).toEqual(['3950 commit Hel'])
  })

  it('is committed maxDelay after the user stopped if the STT never ends it', () => {
    expect(commits(stt, userStarts(0), final(900, 'Hello.'), userStops(1_000))).toEqual([
      '4000 commit Hello.',
    ])
  })

  it('does not flush the STT', () => {
    expect(new TurnDriver(stt, [userStarts(0), userStops(1_000)]).lines('flush-stt')).toEqual([])
  })

  it('leaves no pending words when the VAD notices the end of speech later', () => {
    const driver = new TurnDriver(
      stt,
      [userStarts(0), final(900, 'Hello.'), simple('end-of-turn', 950), userStops(1_400)],
      1_400,
    )
    expect(driver.lines('user-state')).toEqual(['0 speaking', '950 silent'])
    expect(driver.machine.pendingWords).toEqual({ speaking: false, transcribing: false, text: '' })
  })

  it('does not let the rest of its voice interrupt the answer, but lets new words', () => {
    const options: TurnOptions = { mode: 'stt', falseInterruption: {} }
    const events = [userStarts(0), final(900, 'Hello.'), simple('end-of-turn', 950), agentSpeaks(1_000)]
    expect(agentCommands(options, ...events, userStops(2_000))).toEqual(['950 commit Hello.'])
    expect(agentCommands(options, ...events, interim(1_300, 'Wait'), userStops(2_000)).slice(1)).toEqual([
      '1300 pause',
      '1800 interrupt',
      '5000 commit Wait',
    ])
  })

  it('is not ended by the STT in other modes', () => {
    expect(commits({}, userStarts(0), final(900, 'Hello.'), simple('end-of-turn', 950))).toEqual([])
    expect(commits({ mode: 'manual' }, final(900, 'Hello.'), simple('end-of-turn', 950))).toEqual([])
  })

  it('continues if the user speaks again before the final text arrives', () => {
    const events = [
      userStarts(0),
      interim(900, 'I'),
      userStops(1_000),
      simple('end-of-turn', 1_050),
      userStarts(1_100),
    ]
    expect(commits(stt, ...events, final(1_200, 'I want'), userStops(1_900), final(2_000, 'two'))).toEqual([
      '4900 commit I want two',
    ])
  })

  describe('without a VAD', () => {
    const withoutVad: TurnOptions = { mode: 'stt', vad: false }

    it('treats text as speech', () => {
      const driver = new TurnDriver(withoutVad, [
        interim(0, 'Hel'),
        final(300, 'Hello.'),
        simple('end-of-turn', 400),
      ])
      expect(driver.lines('user-state', 'commit')).toEqual(['0 speaking', '400 commit Hello.', '400 silent'])
    })

    it('interrupts the agent with text that keeps arriving for minDuration', () => {
      expect(
        agentCommands(withoutVad, agentSpeaks(0), interim(100, 'No'), interim(550, 'No wait')).slice(0, 1),
      ).toEqual(['600 interrupt'])
      expect(
        agentCommands(withoutVad, agentSpeaks(0), final(100, 'No.'), simple('end-of-turn', 150)),
      ).toEqual(['150 interrupt', '150 commit No.'])
    })

    it('is committed maxDelay after the last text if the STT never ends it', () => {
      const driver = new TurnDriver(withoutVad, [
        interim(0, 'Hel'),
        interim(300, 'Hello'),
        interim(3_000, 'Hello'),
      ])
      expect(driver.lines('commit', 'user-state')).toEqual(['0 speaking', '3300 commit Hello', '3300 silent'])
      expect(driver.commands.find(({ command }) => command.type === 'commit')?.command).toMatchObject({
        stopped: 3_000,
      })
    })
  })
})
