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

describe('a turn that the application ends', () => {
  const manual: TurnOptions = { mode: 'manual' }

  it('is committed by `commit` only', () => {
    const said = [userStarts(0), final(900, 'Hello.'), userStops(1_000)]
    expect(commits(manual, ...said)).toEqual([])
    expect(commits(manual, ...said, simple('commit', 9_000))).toEqual(['9000 commit Hello.'])
    expect(commits(manual, userStarts(0), final(900, 'Hello.'), simple('commit', 950))).toEqual([
      '950 commit Hello.',
    ])
  })

  it('flushes the STT and waits for the final text, for at most maxDelay', () => {
    const events = [userStarts(0), interim(900, 'Hel'), simple('commit', 1_000)]
    const driver = new TurnDriver(manual, [...events, final(1_300, 'Hello.')])
    expect(driver.lines('flush-stt', 'commit')).toEqual(['1000 flush-stt', '1300 commit Hello.'])
    expect(commits(manual, ...events)).toEqual(['4000 commit Hel'])
  })

  it('stays ended if the user speaks again before the final text arrives', () => {
    const events = [
      userStarts(0),
      interim(900, 'Hel'),
      userStops(950),
      simple('commit', 1_000),
      userStarts(1_100),
    ]
    expect(commits(manual, ...events, final(1_300, 'Hello.'))).toEqual(['1300 commit Hello.'])
  })

  it('is not committed if the user said nothing', () => {
    expect(commits(manual, simple('commit', 0))).toEqual([])
    expect(commits(manual, userStarts(0), userStops(500), simple('commit', 600))).toEqual([])
  })

  it('is committed at once and without words for a model that hears the audio itself', () => {
    const options: TurnOptions = { mode: 'manual', wordless: true }
    expect(commits(options, simple('commit', 100))).toEqual(['100 commit '])
    const spoken = [
      userStarts(0),
      interim(50, 'He'),
      userStops(90),
      simple('commit', 100),
      final(200, 'Hello.'),
    ]
    expect(commits(options, ...spoken, final(300, 'More.'), userStarts(400), simple('commit', 500))).toEqual([
      '100 commit ',
      '500 commit ',
    ])
  })

  it('is dropped by `discard`, including text of its words that arrives later', () => {
    const events = [userStarts(0), interim(900, 'Hel'), userStops(950), simple('discard', 1_000)]
    expect(commits(manual, ...events, final(1_200, 'Hello.'), simple('commit', 1_300))).toEqual([])
    expect(
      commits(manual, ...events, userStarts(1_200), final(1_300, 'Yes.'), simple('commit', 1_400)),
    ).toEqual(['1400 commit Yes.'])
    expect(
      commits({}, userStarts(0), final(900, 'Hello.'), userStops(1_000), simple('discard', 1_200)),
    ).toEqual([])
  })

  it('interrupts the agent only when the application does', () => {
    const overlapping = [agentSpeaks(0), userStarts(100), final(1_900, 'Hello.'), userStops(2_000)]
    expect(agentCommands({ mode: 'manual', falseInterruption: {} }, ...overlapping)).toEqual([])
    expect(agentCommands(manual, ...overlapping, simple('barge-in', 3_000))).toEqual(['3000 interrupt'])
    expect(agentCommands(manual, ...overlapping, simple('commit', 3_000))).toEqual([
      '3000 interrupt',
      '3000 commit Hello.',
    ])
  })

  it('keeps its interim text if the final text does not arrive within maxDelay', () => {
    const driver = new TurnDriver(manual, [userStarts(0), interim(900, 'Hel'), userStops(1_000)])
    expect(driver.machine.pendingWords).toEqual({ speaking: false, transcribing: false, text: 'Hel' })
  })

  it('is possible in the other modes, with fewer words than minWords as well', () => {
    expect(commits({}, userStarts(0), final(900, 'Hello.'), simple('commit', 950))).toEqual([
      '950 commit Hello.',
    ])
    const options: TurnOptions = { bargeIn: { minWords: 3 } }
    expect(
      agentCommands(options, agentSpeaks(0), userStarts(100), final(900, 'No.'), simple('commit', 950)),
    ).toEqual(['950 interrupt', '950 commit No.'])
  })
})
