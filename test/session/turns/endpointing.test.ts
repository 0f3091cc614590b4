import { describe, expect, it } from 'vitest'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import {
  agentCommands,
  agentSpeaks,
  agentStops,
  agentThinks,
  commits,
  final,
  interim,
  judged,
  TurnDriver,
  userStarts,
  userStops,
} from './turn-driver.ts'

describe('a turn that ends by silence', () => {
  it('is committed with its final text after the delay', () => {
    expect(commits({}, userStarts(0), final(900, 'Hello.'), userStops(1_000))).toEqual(['1500 commit Hello.'])
  })

  it('is timed from the real end of speech, not from when the VAD noticed it', () => {
    const driver = new TurnDriver({}, [userStarts(0), final(900, 'Hello.'), userStops(1_300, 1_000)])
    expect(driver.commands.find(({ command }) => command.type === 'commit')).toEqual({
      at: 1_500,
      command: {
        type: 'commit',
        text: 'Hello.',
        from: 'speech',
        stopped: 1_000,
        decided: 1_500,
        finished: 1_500,
        committed: 1_500,
        preempted: false,
      },
    })
  })

  it('is committed at once if the delay has passed when the VAD notices the end of speech', () => {
    expect(commits({}, userStarts(0), final(900, 'Hello.'), userStops(1_700, 1_000))).toEqual([
      '1700 commit Hello.',
    ])
  })

  it('waits for a missing final text and is committed with it', () => {
    expect(commits({}, userStarts(0), interim(800, 'Hel'), userStops(1_000), final(2_200, 'Hello.'))).toEqual(
      ['2200 commit Hello.'],
    )
    expect(commits({}, userStarts(0), userStops(1_000), final(2_200, 'Hello.'))).toEqual([
      '2200 commit Hello.',
    ])
  })

  it('waits for at most maxDelay, and is then committed with its interim text', () => {
    expect(commits({}, userStarts(0), final(500, 'I'), interim(800, 'want'), userStops(1_000))).toEqual([
      '4000 commit I want',
    ])
  })

  it('ignores the final text of words that were committed as interim text', () => {
    const late = [
      userStarts(0),
      interim(800, 'Hel'),
      userStops(1_000),
      interim(4_100, 'Hell'),
      final(4_200, 'Hello.'),
    ]
    expect(commits({}, ...late)).toEqual(['4000 commit Hel'])
    expect(commits({}, ...late, userStarts(5_000), final(5_500, 'Yes.'), userStops(5_600))).toEqual([
      '4000 commit Hel',
      '6100 commit Yes.',
    ])
    expect(commits({}, ...late, final(4_300, 'More.'))).toEqual(['4000 commit Hel', '4800 commit More.'])
  })

  it('treats text that arrives much later as a new turn', () => {
    expect(commits({}, userStarts(0), interim(800, 'Hel'), userStops(1_000), final(7_001, 'Yes.'))).toEqual([
      '4000 commit Hel',
      '7501 commit Yes.',
    ])
  })

  it('is not committed if it has no words', () => {
    expect(commits({}, userStarts(0), userStops(1_000))).toEqual([])
    expect(commits({}, userStarts(0), userStops(1_000), final(1_200, ' '))).toEqual([])
    expect(
      commits({}, userStarts(0), interim(400, 'Hm'), userStops(1_000), interim(1_100, ''), final(1_200, '')),
    ).toEqual([])
  })

  it('is not committed if its text is only punctuation', () => {
    expect(commits({}, userStarts(0), userStops(1_000), final(1_200, '...'))).toEqual([])
  })

  it('is committed with words that arrive after maxDelay', () => {
    expect(commits({}, userStarts(0), userStops(1_000), final(4_500, 'Hello.'))).toEqual([
      '5000 commit Hello.',
    ])
  })

  it('is committed with words that the VAD missed', () => {
    expect(commits({}, interim(0, 'He'), final(300, 'Hello.'))).toEqual(['800 commit Hello.'])
    expect(commits({}, interim(0, 'He'), interim(300, 'Hell'))).toEqual(['3300 commit Hell'])
  })

  it('flushes the STT when the user stops', () => {
    expect(new TurnDriver({}, [userStarts(0), userStops(1_000)]).lines('flush-stt')).toEqual([
      '1000 flush-stt',
    ])
  })

  it('uses the delays of the options', () => {
    const options: TurnOptions = { endpointing: { delay: 100, maxDelay: 200 } }
    expect(commits(options, userStarts(0), final(5, 'Yes'), userStops(10))).toEqual(['110 commit Yes'])
    expect(commits(options, userStarts(0), interim(5, 'Yes'), userStops(10))).toEqual(['210 commit Yes'])
  })
})

describe('a user who speaks again', () => {
  it('continues the same turn within the delay', () => {
    const events = [
      userStarts(0),
      final(900, 'I want'),
      userStops(1_000),
      userStarts(1_499),
      userStops(2_000),
      final(2_100, 'two.'),
    ]
    expect(commits({}, ...events)).toEqual(['2500 commit I want two.'])
  })

  it('begins another turn after the delay', () => {
    const events = [
      userStarts(0),
      final(900, 'I want'),
      userStops(1_000),
      userStarts(1_501),
      userStops(2_000),
      final(2_100, 'two.'),
    ]
    expect(commits({}, ...events)).toEqual(['1500 commit I want', '2500 commit two.'])
  })

  it('restarts the wait for the final text', () => {
    const events = [
      userStarts(0),
      final(900, 'I want'),
      userStops(1_000),
      userStarts(1_200),
      userStops(2_000),
    ]
    expect(commits({}, ...events)).toEqual(['5000 commit I want'])
    expect(commits({}, ...events, final(3_000, 'two.'))).toEqual(['3000 commit I want two.'])
  })

  it('interrupts a reply in progress with the next turn, but not with noise', () => {
    const first = [userStarts(0), final(900, 'I want'), userStops(1_000), agentThinks(1_501)]
    expect(agentCommands({}, ...first, userStarts(1_600), userStops(3_000))).toEqual(['1500 commit I want'])
    expect(agentCommands({}, ...first, userStarts(1_600), userStops(2_000), final(2_100, 'two.'))).toEqual([
      '1500 commit I want',
      '2500 interrupt',
      '2500 commit two.',
    ])
  })
})

describe('dynamic endpointing', () => {
  const endpointing = { mode: 'dynamic', minDelay: 400, maxDelay: 2_400 } as const
  const withDetector: TurnOptions = { endpointing: { ...endpointing, detector: true } }
  const said = [userStarts(0), final(900, 'I want'), userStops(1_000)]

  it('asks the turn detector when the user stops, and again when the text changes', () => {
    const driver = new TurnDriver(withDetector, [
      userStarts(0),
      interim(900, 'I'),
      userStops(1_000),
      final(1_100, 'I want'),
    ])
    expect(driver.lines('judge')).toEqual(['1000 judge I', '1100 judge I want'])
  })

  it.each([
    [1, 1_400],
    [0.5, 2_400],
    [0, 3_400],
    [7, 1_400],
    [-1, 3_400],
  ])('adjusts the delay to a score of %d', (score, at) => {
    expect(commits(withDetector, ...said, judged(1_050, 'I want', score))).toEqual([`${at} commit I want`])
  })

  it('waits for a missing score up to maxDelay, and not at all if the detector has none', () => {
    expect(commits(withDetector, ...said)).toEqual(['3400 commit I want'])
    expect(commits(withDetector, ...said, judged(1_050, 'I want'))).toEqual(['1400 commit I want'])
    expect(commits(withDetector, ...said, judged(1_050, 'I want', Number.NaN))).toEqual([
      '1400 commit I want',
    ])
  })

  it('ignores a score for other words, or from before the user spoke again', () => {
    expect(commits(withDetector, ...said, judged(1_050, 'I', 1))).toEqual(['3400 commit I want'])
    const again = [userStarts(1_100), judged(1_150, 'I want', 1), userStops(1_200), final(1_250, '')]
    expect(commits(withDetector, ...said, ...again)).toEqual(['3600 commit I want'])
  })

  it('follows the average pause of the user, between minDelay and maxDelay', () => {
    const pausing = (pause: number): string[] =>
      commits({ endpointing }, ...said, userStarts(1_000 + pause), final(5_000, 'two'), userStops(5_000))
    expect(pausing(100)).toEqual(['5400 commit I want two'])
    expect(pausing(380)).toEqual(['5570 commit I want two'])
    const second = [
      userStarts(1_300),
      userStops(2_000),
      userStarts(2_400),
      final(5_000, 'two'),
      userStops(5_000),
    ]
    // The moving average of 300 and 400 is 330, and the delay is 1.5 times that.
    expect(commits({ endpointing }, ...said, ...second)).toEqual(['5495 commit I want two'])
  })

  it('learns from a user who speaks again before the agent is heard', () => {
    const next = [userStarts(2_400), final(3_000, 'two'), userStops(3_000)]
    expect(commits({ endpointing }, ...said, ...next)).toEqual(['1400 commit I want', '5100 commit two'])
    expect(commits({ endpointing }, ...said, agentSpeaks(1_500), agentStops(1_600), ...next)).toEqual([
      '1400 commit I want',
      '3400 commit two',
    ])
  })

  it('neither asks a detector nor learns pauses with a fixed delay', () => {
    const driver = new TurnDriver({}, [...said, userStarts(1_400), final(1_900, 'two'), userStops(2_000)])
    expect(driver.lines('judge', 'commit')).toEqual(['2500 commit I want two'])
  })
})
