import { describe, expect, it } from 'vitest'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import type { TurnEvent } from '../../../src/session/hearing/turn-events.ts'
import {
  agentCommands,
  agentSpeaks,
  commits,
  final,
  interim,
  replyCommands,
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

describe('an STT that hears turns by itself, without a VAD', () => {
  const ear: TurnOptions = { mode: 'stt', vad: false }
  const eager: TurnOptions = { ...ear, preemptive: true }
  const simples = (...events: [Parameters<typeof simple>[0], number][]): TurnEvent[] =>
    events.map((event) => simple(...event))

  it('[PT2] interrupts the agent when speech starts, before there are words', () => {
    const events = [agentSpeaks(0), simple('stt-started', 1_000)]
    expect(agentCommands(ear, ...events, interim(1_600, 'Wait'))[0]).toBe('1500 interrupt')
    expect(agentCommands({ ...ear, mode: 'manual' }, ...events)).toEqual([])
  })

  it('[PT2] leaves starts of speech to the VAD if there is one', () => {
    expect(agentCommands({ mode: 'stt' }, agentSpeaks(0), simple('stt-started', 1_000))).toEqual([])
  })

  it('[PT2] forgets a start of speech that no words follow', () => {
    const driver = new TurnDriver(ear, [simple('stt-started', 1_000)])
    expect(driver.lines('user-state')).toEqual(['1000 speaking', '4000 silent'])
    expect(driver.machine.pendingWords).toEqual({ speaking: false, transcribing: false, text: '' })
  })

  it('[PT2] counts the end of a turn from its last words, not from its start', () => {
    const driver = new TurnDriver(ear, [
      simple('stt-started', 1_000),
      interim(1_500, 'Hello'),
      final(2_000, 'Hello.'),
      simple('end-of-turn', 2_000),
    ])
    const commit = driver.commands.find(({ command }) => command.type === 'commit')
    expect(commit).toMatchObject({ at: 2_000, command: { stopped: 2_000 } })
  })

  it('[PT2] begins a reply when the user may have finished, and uses it if the user adds nothing', () => {
    const events = [
      ...simples(['stt-started', 0]),
      interim(900, 'Hello.'),
      ...simples(['maybe-end-of-turn', 900]),
      final(1_400, 'Hello.'),
      ...simples(['end-of-turn', 1_400]),
    ]
    expect(replyCommands(eager, ...events)).toEqual(['900 preempt Hello.', '1400 commit Hello. (preempted)'])
    expect(replyCommands(ear, ...events)).toEqual(['1400 commit Hello.'])
  })

  it.each<[string, TurnEvent]>([
    ['the STT says so', simple('turn-resumed', 1_100)],
    ['there are other words', interim(1_100, 'Hello you')],
    ['speech starts', simple('stt-started', 1_100)],
  ])('[PT2] discards the reply when the user goes on: %s', (_, goesOn) => {
    const events = [interim(900, 'Hello'), simple('maybe-end-of-turn', 900), goesOn]
    const driver = new TurnDriver(eager, events, 1_200)
    expect(driver.lines('preempt')).toEqual(['900 preempt Hello'])
    expect(driver.lines('discard-preempt')).toEqual(['1100 discard-preempt'])
    expect(driver.machine.pendingWords.speaking).toBe(true)
  })

  it('[PT2] discards the reply when the STT says so, although the VAD hears nothing yet', () => {
    const events = [
      userStarts(0),
      interim(800, 'Hello'),
      userStops(1_000),
      simple('maybe-end-of-turn', 1_000),
    ]
    const options: TurnOptions = { mode: 'stt', preemptive: { stableFor: 5_000 } }
    expect(replyCommands(options, ...events, simple('turn-resumed', 1_100)).slice(0, 2)).toEqual([
      '1000 preempt Hello',
      '1100 discard-preempt',
    ])
  })
})
