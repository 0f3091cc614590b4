import { describe, expect, it } from 'vitest'
import { OptionError } from '../../scope/index.ts'
import { TurnMachine } from './turn-machine.ts'
import type { TurnCommand, TurnEvent, TurnTimer } from './turn-events.ts'
import type { TurnOptions } from './turn-options.ts'

// ── what happens ──

const starts = (at: number, since = at): TurnEvent => ({ type: 'user-started', at, since })
const stops = (at: number, since = at): TurnEvent => ({ type: 'user-stopped', at, since })
const interim = (at: number, text: string): TurnEvent => ({ type: 'interim', at, text })
const final = (at: number, text: string): TurnEvent => ({ type: 'final', at, text })
const typed = (at: number, text: string): TurnEvent => ({ type: 'typed', at, text })
const key = (at: number, digit: string): TurnEvent => ({ type: 'digit', at, digit })
const thinks = (at: number, thinking = true, interruptible = true): TurnEvent => ({
  type: 'agent-thinking',
  at,
  thinking,
  interruptible,
})
const sounds = (at: number, interruptible = true): TurnEvent => ({ type: 'agent-started', at, interruptible })
const falls = (at: number, how: 'finished' | 'interrupted' = 'finished'): TurnEvent => ({
  type: 'agent-stopped',
  at,
  how,
})
const plain = (
  type: 'live' | 'end-of-turn' | 'commit' | 'discard' | 'barge-in' | 'ending',
  at: number,
): TurnEvent => ({
  type,
  at,
})
const judged = (at: number, text: string, score?: number): TurnEvent => ({
  type: 'judged',
  at,
  text,
  ...(score === undefined ? {} : { score }),
})

// ── who listens ──

/** A shell in virtual time: every timer fires at its time, before whatever happens at the same moment. */
class Play {
  readonly machine: TurnMachine
  readonly commands: { readonly at: number; readonly command: TurnCommand }[] = []
  readonly #timers = new Map<TurnTimer, number>()

  constructor(options: TurnOptions, events: readonly TurnEvent[], until = Number.POSITIVE_INFINITY) {
    this.machine = new TurnMachine(options)
    for (const event of events) {
      this.#pass(event.at)
      this.tell(event)
    }
    this.#pass(until)
  }

  tell(event: TurnEvent): TurnCommand[] {
    const commands = this.machine.handle(event)
    for (const command of commands) {
      if (command.type === 'set-timer') this.#timers.set(command.timer, command.at)
      if (command.type === 'clear-timer') this.#timers.delete(command.timer)
      this.commands.push({ at: event.at, command })
    }
    return commands
  }

  #pass(until: number): void {
    for (;;) {
      const [next] = [...this.#timers].toSorted(([, a], [, b]) => a - b)
      if (!next || next[1] > until) return
      const [timer, due] = next
      this.#timers.delete(timer)
      this.tell({ type: 'timer', timer, due, at: due })
    }
  }

  /** The commands of these types, each with its time: `1500 commit hello`. */
  lines(...types: readonly TurnCommand['type'][]): string[] {
    return this.commands
      .filter(({ command }) => types.includes(command.type))
      .map(({ at, command }) => `${at} ${spell(command)}`)
  }
}

function spell(command: TurnCommand): string {
  const { type } = command
  if (type === 'commit') return `commit ${command.text}${command.preempted ? ' (preempted)' : ''}`
  if (type === 'judge' || type === 'preempt') return `${type} ${command.text}`
  if (type === 'digits') return `digits ${command.digits}`
  if (type === 'user-state') return command.state
  if (type === 'set-timer') return `set ${command.timer} ${command.at}`
  return type === 'clear-timer' ? `clear ${command.timer}` : type
}

const commits = (options: TurnOptions, ...events: readonly TurnEvent[]): string[] =>
  new Play(options, events).lines('commit')
/** What the agent notices, and the turns. */
const agent = (options: TurnOptions, ...events: readonly TurnEvent[]): string[] =>
  new Play(options, events).lines('pause', 'resume', 'interrupt', 'commit')
const answers = (options: TurnOptions, ...events: readonly TurnEvent[]): string[] =>
  new Play(options, events).lines('preempt', 'discard-preempt', 'commit')

describe('the end of a turn, by silence', () => {
  it('comes a delay after the user stopped, with the final text', () => {
    expect(commits({}, starts(0), final(900, 'Hello.'), stops(1_000))).toEqual(['1500 commit Hello.'])
  })

  it('is counted from the true end of speech, not from when it was noticed', () => {
    const play = new Play({}, [starts(0), final(900, 'Hello.'), stops(1_300, 1_000)])
    expect(play.commands.find(({ command }) => command.type === 'commit')).toEqual({
      at: 1_500,
      command: { type: 'commit', text: 'Hello.', from: 'speech', stopped: 1_000, preempted: false },
    })
  })

  it('comes at once if the delay is over when the end of speech is noticed', () => {
    expect(commits({}, starts(0), final(900, 'Hello.'), stops(1_700, 1_000))).toEqual(['1700 commit Hello.'])
  })

  it('waits for a final text that is missing, and comes with it', () => {
    expect(commits({}, starts(0), interim(800, 'Hel'), stops(1_000), final(2_200, 'Hello.'))).toEqual([
      '2200 commit Hello.',
    ])
    expect(commits({}, starts(0), stops(1_000), final(2_200, 'Hello.'))).toEqual(['2200 commit Hello.'])
  })

  it('waits for it no longer than maxDelay, then takes what there is, interim text included', () => {
    expect(commits({}, starts(0), final(500, 'I'), interim(800, 'want'), stops(1_000))).toEqual([
      '4000 commit I want',
    ])
  })

  it('does not say twice what was committed as interim text, when its final text comes after all', () => {
    const late = [
      starts(0),
      interim(800, 'Hel'),
      stops(1_000),
      interim(4_100, 'Hell'),
      final(4_200, 'Hello.'),
    ]
    expect(commits({}, ...late)).toEqual(['4000 commit Hel'])
    expect(commits({}, ...late, starts(5_000), final(5_500, 'Yes.'), stops(5_600))).toEqual([
      '4000 commit Hel',
      '6100 commit Yes.',
    ])
    expect(commits({}, ...late, final(4_300, 'More.'))).toEqual(['4000 commit Hel', '4800 commit More.'])
  })

  it('takes a text that comes much later for new words', () => {
    expect(commits({}, starts(0), interim(800, 'Hel'), stops(1_000), final(7_001, 'Yes.'))).toEqual([
      '4000 commit Hel',
      '7501 commit Yes.',
    ])
  })

  it('commits nothing for silence', () => {
    expect(commits({}, starts(0), stops(1_000))).toEqual([])
    expect(commits({}, starts(0), stops(1_000), final(1_200, ' '))).toEqual([])
    expect(
      commits({}, starts(0), interim(400, 'Hm'), stops(1_000), interim(1_100, ''), final(1_200, '')),
    ).toEqual([])
  })

  it('takes a text of punctuation for silence', () => {
    expect(commits({}, starts(0), stops(1_000), final(1_200, '...'))).toEqual([])
  })

  it('commits words that come after nobody waited for them any more', () => {
    expect(commits({}, starts(0), stops(1_000), final(4_500, 'Hello.'))).toEqual(['5000 commit Hello.'])
  })

  it('commits words of a voice that nobody heard', () => {
    expect(commits({}, interim(0, 'He'), final(300, 'Hello.'))).toEqual(['800 commit Hello.'])
    expect(commits({}, interim(0, 'He'), interim(300, 'Hell'))).toEqual(['3300 commit Hell'])
  })

  it('has the STT flushed when the user stops', () => {
    expect(new Play({}, [starts(0), stops(1_000)]).lines('flush-stt')).toEqual(['1000 flush-stt'])
  })

  it('takes its delays from the options', () => {
    const options: TurnOptions = { endpointing: { delay: 100, maxDelay: 200 } }
    expect(commits(options, starts(0), final(5, 'Yes'), stops(10))).toEqual(['110 commit Yes'])
    expect(commits(options, starts(0), interim(5, 'Yes'), stops(10))).toEqual(['210 commit Yes'])
  })
})

describe('a user who starts again', () => {
  it('goes on with the same turn if it is within the delay', () => {
    const events = [
      starts(0),
      final(900, 'I want'),
      stops(1_000),
      starts(1_499),
      stops(2_000),
      final(2_100, 'two.'),
    ]
    expect(commits({}, ...events)).toEqual(['2500 commit I want two.'])
  })

  it('begins another turn if it is not', () => {
    const events = [
      starts(0),
      final(900, 'I want'),
      stops(1_000),
      starts(1_501),
      stops(2_000),
      final(2_100, 'two.'),
    ]
    expect(commits({}, ...events)).toEqual(['1500 commit I want', '2500 commit two.'])
  })

  it('is waited for anew: the words of the second stretch are missing', () => {
    const events = [starts(0), final(900, 'I want'), stops(1_000), starts(1_200), stops(2_000)]
    expect(commits({}, ...events)).toEqual(['5000 commit I want'])
    expect(commits({}, ...events, final(3_000, 'two.'))).toEqual(['3000 commit I want two.'])
  })

  it('interrupts an answer that is only in the making by the next turn, not by a noise', () => {
    const first = [starts(0), final(900, 'I want'), stops(1_000), thinks(1_501)]
    expect(agent({}, ...first, starts(1_600), stops(3_000))).toEqual(['1500 commit I want'])
    expect(agent({}, ...first, starts(1_600), stops(2_000), final(2_100, 'two.'))).toEqual([
      '1500 commit I want',
      '2500 interrupt',
      '2500 commit two.',
    ])
  })
})

describe('dynamic endpointing', () => {
  const endpointing = { mode: 'dynamic', minDelay: 400, maxDelay: 2_400 } as const
  const asking: TurnOptions = { endpointing: { ...endpointing, detector: true } }
  const said = [starts(0), final(900, 'I want'), stops(1_000)]

  it('asks the turn detector when the user stops, and again when the words change', () => {
    const play = new Play(asking, [starts(0), interim(900, 'I'), stops(1_000), final(1_100, 'I want')])
    expect(play.lines('judge')).toEqual(['1000 judge I', '1100 judge I want'])
  })

  it.each([
    [1, 1_400],
    [0.5, 2_400],
    [0, 3_400],
    [7, 1_400],
    [-1, 3_400],
  ])('moves the delay with the score %d', (score, at) => {
    expect(commits(asking, ...said, judged(1_050, 'I want', score))).toEqual([`${at} commit I want`])
  })

  it('waits for a judgement that does not come up to maxDelay, and not at all for one that cannot be made', () => {
    expect(commits(asking, ...said)).toEqual(['3400 commit I want'])
    expect(commits(asking, ...said, judged(1_050, 'I want'))).toEqual(['1400 commit I want'])
    expect(commits(asking, ...said, judged(1_050, 'I want', Number.NaN))).toEqual(['1400 commit I want'])
  })

  it('ignores a judgement about other words, or from before the user went on', () => {
    expect(commits(asking, ...said, judged(1_050, 'I', 1))).toEqual(['3400 commit I want'])
    const again = [starts(1_100), judged(1_150, 'I want', 1), stops(1_200), final(1_250, '')]
    expect(commits(asking, ...said, ...again)).toEqual(['3600 commit I want'])
  })

  it('follows the mean of the pauses the user makes, between the least and the longest delay', () => {
    const pausing = (pause: number): string[] =>
      commits({ endpointing }, ...said, starts(1_000 + pause), final(5_000, 'two'), stops(5_000))
    expect(pausing(100)).toEqual(['5400 commit I want two'])
    expect(pausing(380)).toEqual(['5570 commit I want two'])
    const second = [starts(1_300), stops(2_000), starts(2_400), final(5_000, 'two'), stops(5_000)]
    // 300 and then 400 have the mean 330; half as much again is 495.
    expect(commits({ endpointing }, ...said, ...second)).toEqual(['5495 commit I want two'])
  })

  it('learns from a user who went on after all, before the agent was heard', () => {
    const next = [starts(2_400), final(3_000, 'two'), stops(3_000)]
    expect(commits({ endpointing }, ...said, ...next)).toEqual(['1400 commit I want', '5100 commit two'])
    expect(commits({ endpointing }, ...said, sounds(1_500), falls(1_600), ...next)).toEqual([
      '1400 commit I want',
      '3400 commit two',
    ])
  })

  it('never asks nor learns where the delay is fixed', () => {
    const play = new Play({}, [...said, starts(1_400), final(1_900, 'two'), stops(2_000)])
    expect(play.lines('judge', 'commit')).toEqual(['2500 commit I want two'])
  })
})

describe('the end of a turn, by the STT', () => {
  const stt: TurnOptions = { mode: 'stt' }

  it('comes when the STT says so, whether or not the voice is over', () => {
    expect(commits(stt, starts(0), final(900, 'Hello.'), plain('end-of-turn', 950), stops(1_000))).toEqual([
      '950 commit Hello.',
    ])
    expect(commits(stt, starts(0), final(900, 'Hello.'), stops(1_000), plain('end-of-turn', 1_900))).toEqual([
      '1900 commit Hello.',
    ])
  })

  it('waits for a final text that is missing', () => {
    const events = [starts(0), interim(900, 'Hel'), plain('end-of-turn', 950)]
    expect(commits(stt, ...events, final(1_200, 'Hello.'))).toEqual(['1200 commit Hello.'])
    expect(commits(stt, ...events)).toEqual(['3950 commit Hel'])
  })

  it('comes maxDelay after the user stopped if the STT never says so', () => {
    expect(commits(stt, starts(0), final(900, 'Hello.'), stops(1_000))).toEqual(['4000 commit Hello.'])
  })

  it('does not flush the STT, which knows best', () => {
    expect(new Play(stt, [starts(0), stops(1_000)]).lines('flush-stt')).toEqual([])
  })

  it('leaves nothing pending when the voice ends a little later', () => {
    const play = new Play(
      stt,
      [starts(0), final(900, 'Hello.'), plain('end-of-turn', 950), stops(1_400)],
      1_400,
    )
    expect(play.lines('user-state')).toEqual(['0 speaking', '950 silent'])
    expect(play.machine.pendingWords).toEqual({ speaking: false, transcribing: false, text: '' })
  })

  it('does not let the rest of that voice interrupt the answer, but the next words do', () => {
    const options: TurnOptions = { mode: 'stt', falseInterruption: {} }
    const events = [starts(0), final(900, 'Hello.'), plain('end-of-turn', 950), sounds(1_000)]
    expect(agent(options, ...events, stops(2_000))).toEqual(['950 commit Hello.'])
    expect(agent(options, ...events, interim(1_300, 'Wait'), stops(2_000)).slice(1)).toEqual([
      '1300 pause',
      '1800 interrupt',
      '5000 commit Wait',
    ])
  })

  it('counts in no other mode', () => {
    expect(commits({}, starts(0), final(900, 'Hello.'), plain('end-of-turn', 950))).toEqual([])
    expect(commits({ mode: 'manual' }, final(900, 'Hello.'), plain('end-of-turn', 950))).toEqual([])
  })

  it('goes on if the voice does, before the final text has come', () => {
    const events = [starts(0), interim(900, 'I'), stops(1_000), plain('end-of-turn', 1_050), starts(1_100)]
    expect(commits(stt, ...events, final(1_200, 'I want'), stops(1_900), final(2_000, 'two'))).toEqual([
      '4900 commit I want two',
    ])
  })

  describe('without a VAD', () => {
    const deaf: TurnOptions = { mode: 'stt', vad: false }

    it('takes text for voice', () => {
      const play = new Play(deaf, [interim(0, 'Hel'), final(300, 'Hello.'), plain('end-of-turn', 400)])
      expect(play.lines('user-state', 'commit')).toEqual(['0 speaking', '400 commit Hello.', '400 silent'])
    })

    it('interrupts by text that goes on for long enough', () => {
      expect(agent(deaf, sounds(0), interim(100, 'No'), interim(550, 'No wait')).slice(0, 1)).toEqual([
        '600 interrupt',
      ])
      expect(agent(deaf, sounds(0), final(100, 'No.'), plain('end-of-turn', 150))).toEqual([
        '150 interrupt',
        '150 commit No.',
      ])
    })

    it('commits maxDelay after the last text if the STT never says so', () => {
      const play = new Play(deaf, [interim(0, 'Hel'), interim(300, 'Hello'), interim(3_000, 'Hello')])
      expect(play.lines('commit', 'user-state')).toEqual(['0 speaking', '3300 commit Hello', '3300 silent'])
      expect(play.commands.find(({ command }) => command.type === 'commit')?.command).toMatchObject({
        stopped: 3_000,
      })
    })
  })
})

describe('the end of a turn, by hand', () => {
  const manual: TurnOptions = { mode: 'manual' }

  it('comes by commit only', () => {
    const said = [starts(0), final(900, 'Hello.'), stops(1_000)]
    expect(commits(manual, ...said)).toEqual([])
    expect(commits(manual, ...said, plain('commit', 9_000))).toEqual(['9000 commit Hello.'])
    expect(commits(manual, starts(0), final(900, 'Hello.'), plain('commit', 950))).toEqual([
      '950 commit Hello.',
    ])
  })

  it('flushes the STT and waits for the final text, for maxDelay at most', () => {
    const events = [starts(0), interim(900, 'Hel'), plain('commit', 1_000)]
    const play = new Play(manual, [...events, final(1_300, 'Hello.')])
    expect(play.lines('flush-stt', 'commit')).toEqual(['1000 flush-stt', '1300 commit Hello.'])
    expect(commits(manual, ...events)).toEqual(['4000 commit Hel'])
  })

  it('keeps its word when the user speaks again before the final text has come', () => {
    const events = [starts(0), interim(900, 'Hel'), stops(950), plain('commit', 1_000), starts(1_100)]
    expect(commits(manual, ...events, final(1_300, 'Hello.'))).toEqual(['1300 commit Hello.'])
  })

  it('commits nothing where nothing was said', () => {
    expect(commits(manual, plain('commit', 0))).toEqual([])
    expect(commits(manual, starts(0), stops(500), plain('commit', 600))).toEqual([])
  })

  it('commits without words for a model that hears by itself, at once', () => {
    const options: TurnOptions = { mode: 'manual', wordless: true }
    expect(commits(options, plain('commit', 100))).toEqual(['100 commit '])
    const spoken = [starts(0), interim(50, 'He'), stops(90), plain('commit', 100), final(200, 'Hello.')]
    expect(commits(options, ...spoken, final(300, 'More.'), starts(400), plain('commit', 500))).toEqual([
      '100 commit ',
      '500 commit ',
    ])
  })

  it('comes by discard without a trace, the late text of the same words included', () => {
    const events = [starts(0), interim(900, 'Hel'), stops(950), plain('discard', 1_000)]
    expect(commits(manual, ...events, final(1_200, 'Hello.'), plain('commit', 1_300))).toEqual([])
    expect(commits(manual, ...events, starts(1_200), final(1_300, 'Yes.'), plain('commit', 1_400))).toEqual([
      '1400 commit Yes.',
    ])
    expect(commits({}, starts(0), final(900, 'Hello.'), stops(1_000), plain('discard', 1_200))).toEqual([])
  })

  it('interrupts by hand only', () => {
    const over = [sounds(0), starts(100), final(1_900, 'Hello.'), stops(2_000)]
    expect(agent({ mode: 'manual', falseInterruption: {} }, ...over)).toEqual([])
    expect(agent(manual, ...over, plain('barge-in', 3_000))).toEqual(['3000 interrupt'])
    expect(agent(manual, ...over, plain('commit', 3_000))).toEqual(['3000 interrupt', '3000 commit Hello.'])
  })

  it('gives up waiting for a text after maxDelay, and keeps the words', () => {
    const play = new Play(manual, [starts(0), interim(900, 'Hel'), stops(1_000)])
    expect(play.machine.pendingWords).toEqual({ speaking: false, transcribing: false, text: 'Hel' })
  })

  it('is possible in the other modes too, whatever the least number of words', () => {
    expect(commits({}, starts(0), final(900, 'Hello.'), plain('commit', 950))).toEqual(['950 commit Hello.'])
    const options: TurnOptions = { bargeIn: { minWords: 3 } }
    expect(agent(options, sounds(0), starts(100), final(900, 'No.'), plain('commit', 950))).toEqual([
      '950 interrupt',
      '950 commit No.',
    ])
  })
})

describe('turns of a realtime model', () => {
  const realtime: TurnOptions = { mode: 'realtime', bargeIn: { minWords: 5 }, falseInterruption: {} }

  it('are not committed from here', () => {
    const spoken = [starts(0), interim(900, 'Hel'), stops(1_000), final(1_200, 'Hello.')]
    expect(new Play(realtime, [...spoken, plain('commit', 1_300)]).lines('commit', 'user-state')).toEqual([
      '0 speaking',
      '1000 silent',
    ])
  })

  it('interrupt the agent at once: the model has decided', () => {
    expect(agent(realtime, sounds(0), starts(1_000, 900))).toEqual(['1000 interrupt'])
  })

  it('interrupt an agent that begins while the user speaks like any other speech', () => {
    expect(agent(realtime, starts(0), sounds(1_000))).toEqual(['1500 interrupt'])
    expect(agent(realtime, starts(0), sounds(1_000), stops(1_400))).toEqual([])
  })

  it('are pending until their text has come, for maxDelay at most', () => {
    const spoken = [starts(0), interim(900, 'Hel'), stops(1_000)]
    expect(new Play(realtime, spoken, 1_100).machine.pendingWords).toEqual({
      speaking: false,
      transcribing: true,
      text: 'Hel',
    })
    const nothing = { speaking: false, transcribing: false, text: '' }
    expect(new Play(realtime, [...spoken, final(1_200, 'Hello.')], 1_200).machine.pendingWords).toEqual(
      nothing,
    )
    expect(new Play(realtime, spoken).machine.pendingWords).toEqual(nothing)
  })

  it('leave room for typed ones', () => {
    expect(
      agent(realtime, starts(0), interim(500, 'Hel'), sounds(600, false), typed(700, 'Hi'), falls(800)),
    ).toEqual(['800 commit Hi'])
  })
})

describe('barge-in', () => {
  it('interrupts after minDuration of speech, once', () => {
    expect(agent({}, sounds(0), starts(1_000), stops(3_000))).toEqual(['1500 interrupt'])
    expect(
      agent({}, sounds(0), starts(1_000), interim(1_600, 'No'), stops(3_000), final(3_100, 'No.')),
    ).toEqual(['1500 interrupt', '3500 commit No.'])
  })

  it('counts from the true beginning of speech', () => {
    expect(agent({}, sounds(0), starts(1_200, 1_000))).toEqual(['1500 interrupt'])
    expect(agent({}, sounds(0), starts(1_700, 1_000))).toEqual(['1700 interrupt'])
  })

  it('is no interruption if it is shorter', () => {
    expect(agent({}, sounds(0), starts(1_000), stops(1_499))).toEqual([])
  })

  it('needs minWords words on top', () => {
    const options: TurnOptions = { bargeIn: { minWords: 2 } }
    expect(
      agent(options, sounds(0), starts(1_000), interim(1_200, 'No'), interim(1_900, 'No wait')).slice(0, 1),
    ).toEqual(['1900 interrupt'])
    expect(agent(options, sounds(0), starts(1_000), interim(1_200, 'No wait')).slice(0, 1)).toEqual([
      '1500 interrupt',
    ])
  })

  it('counts from the moment the agent sounds if the user spoke before', () => {
    expect(agent({}, starts(0), sounds(1_000))).toEqual(['1500 interrupt'])
    expect(agent({ falseInterruption: {} }, starts(0), sounds(1_000)).slice(0, 1)).toEqual(['1000 pause'])
  })

  it('short as it was, interrupts when its words are committed as a turn', () => {
    expect(agent({}, sounds(0), starts(1_000), stops(1_300), final(1_400, 'Stop!'))).toEqual([
      '1800 interrupt',
      '1800 commit Stop!',
    ])
  })

  it('with too few words is held, and committed when the agent is silent', () => {
    const options: TurnOptions = { bargeIn: { minWords: 2 } }
    const murmur = [sounds(0), starts(1_000), stops(1_300), final(1_400, 'Yes.')]
    expect(agent(options, ...murmur)).toEqual([])
    expect(agent(options, ...murmur, falls(9_000))).toEqual(['9000 commit Yes.'])
    expect(agent(options, ...murmur, plain('commit', 5_000))).toEqual(['5000 interrupt', '5000 commit Yes.'])
    expect(agent(options, ...murmur, typed(5_000, 'Stop'))).toEqual([
      '5000 interrupt',
      '5000 commit Yes. Stop',
    ])
  })

  it('does not add up the murmurs of a long speech', () => {
    const options: TurnOptions = { bargeIn: { minWords: 2 } }
    const murmurs = [2_000, 4_000, 6_000].flatMap((at) => [
      starts(at),
      final(at + 600, 'Mhm.'),
      stops(at + 700),
    ])
    expect(agent(options, sounds(0), ...murmurs, falls(9_000))).toEqual(['9000 commit Mhm. Mhm. Mhm.'])
    expect(
      agent(options, sounds(0), ...murmurs, starts(8_000), interim(8_600, 'No wait')).slice(0, 1),
    ).toEqual(['8600 interrupt'])
  })

  it('that is held leaves room for the next words, in every mode', () => {
    const deaf: TurnOptions = { mode: 'stt', vad: false, bargeIn: { minWords: 2 } }
    const murmur = [sounds(0), final(1_000, 'Mhm.'), plain('end-of-turn', 1_100)]
    const next = [
      interim(6_000, 'No'),
      interim(6_200, 'No wait'),
      final(6_900, 'No wait.'),
      plain('end-of-turn', 7_000),
    ]
    expect(agent(deaf, ...murmur, ...next)).toEqual(['6500 interrupt', '7000 commit Mhm. No wait.'])
    const hand = [sounds(0, false), starts(0), final(900, 'One.'), plain('commit', 1_000), stops(1_100)]
    const more = [
      starts(6_000),
      interim(6_200, 'Tw'),
      interim(6_400, 'Two'),
      falls(6_500),
      final(6_600, 'Two.'),
    ]
    expect(agent({ mode: 'manual' }, ...hand, ...more, plain('commit', 7_000))).toEqual([
      '6500 commit One.',
      '7000 commit Two.',
    ])
  })

  it('that was long enough for a turn interrupts as soon as that is allowed', () => {
    const events = [thinks(0, true, false), starts(0), final(900, 'Hello.'), stops(1_000), sounds(2_000)]
    expect(agent({}, ...events, thinks(3_000, false))).toEqual(['3000 interrupt', '3000 commit Hello.'])
    const options: TurnOptions = { bargeIn: { minWords: 2 } }
    const said = [thinks(0, true, false), starts(0), final(900, 'Hello there.'), stops(1_000), sounds(2_000)]
    const murmur = [starts(2_100), final(2_300, 'Mhm.'), stops(2_400), thinks(4_000, false), falls(9_000)]
    expect(agent(options, ...said, ...murmur)).toEqual(['4000 interrupt', '4000 commit Hello there. Mhm.'])
  })

  it('neither pauses nor interrupts what is uninterruptible; the words are committed after', () => {
    const options: TurnOptions = { falseInterruption: {} }
    const over = [sounds(0, false), starts(1_000), final(2_000, 'Hello there.'), stops(2_100)]
    expect(agent(options, ...over, plain('barge-in', 2_200), falls(9_000))).toEqual([
      '9000 commit Hello there.',
    ])
    expect(agent(options, ...over, falls(2_300))).toEqual(['2600 commit Hello there.'])
    expect(agent(options, ...over, starts(8_900), falls(9_000), final(9_500, 'You?'), stops(9_600))).toEqual([
      '10100 commit Hello there. You?',
    ])
  })

  it('holds a turn back while something uninterruptible is in the making, and commits it after', () => {
    const spoken = [thinks(0, true, false), starts(0), final(900, 'Hello.'), stops(1_000)]
    expect(agent({}, ...spoken, sounds(2_000, false), thinks(2_500, false), falls(4_000))).toEqual([
      '4000 commit Hello.',
    ])
    expect(agent({}, ...spoken, thinks(2_000, false))).toEqual(['2000 commit Hello.'])
  })

  it('of an interruptible speech leaves alone what is uninterruptible behind it', () => {
    const events = [thinks(0, true, false), sounds(0), starts(100), final(900, 'Hello.'), stops(1_000)]
    expect(
      agent({}, ...events, falls(1_100), sounds(1_200, false), thinks(1_200, false), falls(3_000)),
    ).toEqual(['600 interrupt', '3000 commit Hello.'])
  })

  it('is not delayed, and its turn not held back, by a tool that runs on', () => {
    const tool: TurnEvent = { type: 'tool', at: 0, running: true }
    expect(agent({}, tool, sounds(0), starts(1_000), final(1_800, 'Stop.'), stops(2_000))).toEqual([
      '1500 interrupt',
      '2500 commit Stop.',
    ])
  })

  it('by hand works in every mode, on speech and on an answer in the making', () => {
    for (const mode of ['vad', 'stt', 'realtime', 'manual'] as const) {
      expect(agent({ mode }, sounds(0), plain('barge-in', 10), plain('barge-in', 20))).toEqual([
        '10 interrupt',
      ])
      expect(agent({ mode }, thinks(0), plain('barge-in', 10))).toEqual(['10 interrupt'])
      expect(agent({ mode }, plain('barge-in', 10))).toEqual([])
    }
  })
})

describe('a false interruption', () => {
  const options: TurnOptions = { falseInterruption: { timeout: 1_000 } }
  const cough = [sounds(0), starts(1_000), stops(1_200)]

  it('[SP9] pauses the agent, and resumes it if no words came in time', () => {
    expect(agent(options, ...cough)).toEqual(['1000 pause', '2200 resume'])
  })

  it('[SP9] resumes at once when it is sure that there are no words', () => {
    expect(agent(options, ...cough, final(1_400, ''))).toEqual(['1000 pause', '1400 resume'])
    expect(agent(options, ...cough, plain('discard', 1_500))).toEqual(['1000 pause', '1500 resume'])
  })

  it('[SP9] never resumes once words have come, not even before they are final', () => {
    expect(agent(options, ...cough, interim(1_900, 'Sto'), final(3_000, 'Stop.'))).toEqual([
      '1000 pause',
      '3000 interrupt',
      '3000 commit Stop.',
    ])
  })

  it('[SP9] never resumes after a turn was committed', () => {
    expect(agent(options, ...cough, typed(1_500, 'Stop'))).toEqual([
      '1000 pause',
      '1500 interrupt',
      '1500 commit Stop',
    ])
    expect(agent(options, ...cough, typed(1_500, 'Stop'), final(1_600, ''), falls(1_700))).toHaveLength(3)
  })

  it('[SP9] never resumes when the session is ending: the paused speech is over', () => {
    expect(agent(options, ...cough, plain('ending', 1_500), final(1_600, ''))).toEqual([
      '1000 pause',
      '1500 interrupt',
    ])
  })

  it('resumes if the words that took it back were only interim', () => {
    expect(agent(options, ...cough, interim(1_900, 'Sto'), interim(2_500, ''))).toEqual([
      '1000 pause',
      '2500 resume',
    ])
  })

  it('becomes a true one when it is long enough', () => {
    expect(agent(options, sounds(0), starts(1_000), stops(1_600))).toEqual(['1000 pause', '1500 interrupt'])
  })

  it('waits for the user who speaks again', () => {
    expect(agent(options, ...cough, starts(2_000), stops(2_300))).toEqual(['1000 pause', '3300 resume'])
  })

  describe('with a least number of words', () => {
    const wordy: TurnOptions = { ...options, bargeIn: { minWords: 2 } }

    it('resumes over a noise without end, which pauses no second time', () => {
      expect(agent(wordy, sounds(0), starts(1_000), thinks(5_000), stops(9_000))).toEqual([
        '1000 pause',
        '2000 resume',
      ])
    })

    it('lets that noise interrupt all the same when it turns into words', () => {
      expect(agent(wordy, sounds(0), starts(1_000), interim(3_000, 'No wait')).slice(0, 3)).toEqual([
        '1000 pause',
        '2000 resume',
        '3000 interrupt',
      ])
    })

    it('resumes after a murmur as soon as it is over, and commits it later', () => {
      expect(agent(wordy, ...cough, final(1_300, 'Mhm.'), falls(5_000))).toEqual([
        '1000 pause',
        '1700 resume',
        '5000 commit Mhm.',
      ])
    })
  })

  it('pauses after pauseAfter only, if set', () => {
    const patient: TurnOptions = { falseInterruption: { timeout: 1_000, pauseAfter: 300 } }
    expect(agent(patient, ...cough)).toEqual([])
    expect(agent(patient, sounds(0), starts(1_000), stops(1_400))).toEqual(['1300 pause', '2400 resume'])
  })

  it('keeps an old answer from being heard while words wait to be committed', () => {
    const events = [starts(0), final(900, 'Hello.'), stops(1_000), thinks(1_100), sounds(1_200)]
    expect(agent(options, ...events)).toEqual(['1200 pause', '1500 interrupt', '1500 commit Hello.'])
  })

  it('is over when the agent is, however that came', () => {
    expect(agent(options, ...cough, falls(1_500, 'interrupted'))).toEqual(['1000 pause'])
  })

  it('pauses nothing unless set', () => {
    expect(agent({}, ...cough)).toEqual([])
  })
})

describe('a preemptive answer', () => {
  const eager: TurnOptions = { preemptive: true }

  it('begins when the user stops with a final text, and is used if that was all', () => {
    expect(answers(eager, starts(0), final(900, 'Hello.'), stops(1_000))).toEqual([
      '1000 preempt Hello.',
      '1500 commit Hello. (preempted)',
    ])
    expect(answers(eager, starts(0), stops(1_000), final(1_100, 'Hello.'))).toEqual([
      '1100 preempt Hello.',
      '1500 commit Hello. (preempted)',
    ])
  })

  it('begins for an interim text that has not changed for a while', () => {
    const spoken = [starts(0), interim(900, 'Hello'), stops(1_000)]
    expect(answers(eager, ...spoken, final(1_300, 'Hello'))).toEqual([
      '1100 preempt Hello',
      '1500 commit Hello (preempted)',
    ])
    expect(answers(eager, starts(0), interim(700, 'Hello'), stops(1_000)).slice(0, 1)).toEqual([
      '1000 preempt Hello',
    ])
    expect(answers(eager, ...spoken, interim(1_050, 'Hello you')).slice(0, 1)).toEqual([
      '1250 preempt Hello you',
    ])
  })

  it('is thrown away for the text as it became', () => {
    expect(answers(eager, starts(0), interim(700, 'hello'), stops(1_000), final(1_200, 'Hello.'))).toEqual([
      '1000 preempt hello',
      '1200 discard-preempt',
      '1200 preempt Hello.',
      '1500 commit Hello. (preempted)',
    ])
  })

  it('is thrown away when the user goes on', () => {
    const again = [starts(1_200), stops(1_800), final(1_900, 'two.')]
    expect(answers(eager, starts(0), final(900, 'I want'), stops(1_000), ...again)).toEqual([
      '1000 preempt I want',
      '1200 discard-preempt',
      '1900 preempt I want two.',
      '2300 commit I want two. (preempted)',
    ])
  })

  it('is thrown away when another turn comes in between, when the words are discarded, and at the end', () => {
    const spoken = [starts(0), final(900, 'I want'), stops(1_000)]
    expect(answers(eager, ...spoken, typed(1_200, 'tea'))).toEqual([
      '1000 preempt I want',
      '1200 discard-preempt',
      '1200 commit I want tea',
    ])
    for (const type of ['discard', 'ending'] as const)
      expect(answers(eager, ...spoken, plain(type, 1_200))).toEqual([
        '1000 preempt I want',
        '1200 discard-preempt',
      ])
  })

  it('is begun a limited number of times for a turn', () => {
    const options: TurnOptions = { preemptive: { attempts: 2 } }
    const pieces = [1_100, 1_200, 1_300].map((at) => final(at, 'and'))
    expect(answers(options, starts(0), final(900, 'I'), stops(1_000), ...pieces)).toEqual([
      '1000 preempt I',
      '1100 discard-preempt',
      '1100 preempt I and',
      '1200 discard-preempt',
      '1500 commit I and and and',
    ])
  })

  it('is not begun for a turn that has to wait for the agent, nor where no turns are taken', () => {
    const over = [sounds(0, false), starts(100), final(900, 'Hello.'), stops(1_000), falls(5_000)]
    expect(answers(eager, ...over)).toEqual(['5000 commit Hello.'])
    for (const mode of ['manual', 'realtime'] as const)
      expect(answers({ mode, preemptive: true }, starts(0), final(900, 'Hello.'), stops(1_000))).toEqual([])
  })

  it('is not begun unless set', () => {
    expect(answers({}, starts(0), final(900, 'Hello.'), stops(1_000))).toEqual(['1500 commit Hello.'])
  })
})

describe('typed text', () => {
  it('is a turn at once, and interrupts', () => {
    expect(agent({}, sounds(0), typed(100, ' Hello '))).toEqual(['100 interrupt', '100 commit Hello'])
    expect(agent({ bargeIn: { minWords: 3 } }, sounds(0), typed(100, 'Hello'))).toHaveLength(2)
    expect(agent({}, typed(100, '  '))).toEqual([])
  })

  it('takes along what the user has finished saying', () => {
    expect(commits({}, starts(0), final(900, 'My name is'), stops(1_000), typed(1_200, 'Ada'))).toEqual([
      '1200 commit My name is Ada',
    ])
    const late = [
      starts(0),
      interim(900, 'My name is'),
      stops(1_000),
      typed(1_200, 'Ada'),
      final(1_300, 'My name is'),
    ]
    expect(commits({}, ...late)).toEqual(['1200 commit My name is Ada'])
  })

  it('leaves what the user is saying for the next turn', () => {
    const speaking = [starts(0), final(500, 'One.'), interim(900, 'Tw'), typed(1_000, 'Ada')]
    expect(commits({}, ...speaking, stops(1_100), final(1_200, 'Two.'))).toEqual([
      '1000 commit One. Ada',
      '1600 commit Two.',
    ])
    expect(commits({}, starts(0), stops(1_000), typed(1_100, 'Ada'), final(1_200, 'Two.'))).toEqual([
      '1100 commit Ada',
      '1500 commit Two.',
    ])
  })

  it('waits for what is uninterruptible', () => {
    expect(agent({}, sounds(0, false), typed(100, 'One.'), typed(200, 'Two.'), falls(900))).toEqual([
      '900 commit One. Two.',
    ])
  })
})

describe('telephone keys', () => {
  const text: TurnOptions = { dtmf: { as: 'text' } }
  const entries = (options: TurnOptions, ...events: readonly TurnEvent[]): string[] =>
    new Play(options, events).lines('digits', 'commit', 'interrupt')

  it('are ignored unless set', () => {
    expect(new Play({}, [sounds(0), key(0, '1'), key(100, '#')]).commands).toEqual([])
  })

  it('are collected until the end key, as an event or as a turn', () => {
    expect(entries({ dtmf: {} }, key(0, '1'), key(100, '*'), key(200, '#'))).toEqual(['200 digits 1*'])
    expect(entries(text, key(0, '1'), key(100, '2'), key(200, '#'))).toEqual(['200 commit 12'])
    expect(entries({ dtmf: { endKey: '*' } }, key(0, '1'), key(100, '#'), key(200, '*'))).toEqual([
      '200 digits 1#',
    ])
  })

  it('are collected until there are enough', () => {
    expect(entries({ dtmf: { count: 2 } }, key(0, '1'), key(100, '2'), key(200, '3'))).toEqual([
      '100 digits 12',
      '3200 digits 3',
    ])
  })

  it('are collected until none follows in time', () => {
    expect(entries({ dtmf: { timeout: 500 } }, key(0, '1'), key(400, '2'))).toEqual(['900 digits 12'])
  })

  it('stand for themselves if the end key comes alone, unless it follows out of habit', () => {
    expect(entries({ dtmf: {} }, key(0, '#'))).toEqual(['0 digits #'])
    const full = [key(0, '1'), key(100, '#')]
    expect(entries({ dtmf: { count: 1 } }, ...full)).toEqual(['0 digits 1'])
    expect(entries({ dtmf: { count: 1 } }, ...full, key(200, '#'))).toEqual(['0 digits 1', '200 digits #'])
    expect(entries({ dtmf: { count: 1, timeout: 50 } }, ...full)).toEqual(['0 digits 1', '100 digits #'])
  })

  it('interrupt at the first one, or only when they are a turn', () => {
    expect(entries(text, sounds(0), key(100, '1'), key(200, '#'))).toEqual(['100 interrupt', '200 commit 1'])
    expect(
      entries({ dtmf: { as: 'text', interrupts: false } }, sounds(0), key(100, '1'), key(200, '#')),
    ).toEqual(['200 interrupt', '200 commit 1'])
    expect(entries({ dtmf: { interrupts: false } }, sounds(0), key(100, '#'))).toEqual(['100 digits #'])
  })

  it('do not interrupt what is uninterruptible, nor an answer in the making', () => {
    expect(entries(text, sounds(0, false), key(100, '1'), key(200, '#'), falls(900))).toEqual([
      '900 commit 1',
    ])
    expect(entries({ dtmf: {} }, thinks(0), key(100, '1'), key(200, '#'))).toEqual(['200 digits 1'])
  })
})

describe('the state of the user', () => {
  const states = (options: TurnOptions, ...events: readonly TurnEvent[]): string[] =>
    new Play(options, events).lines('user-state')

  it('is speaking, finishing, silent', () => {
    expect(states({}, starts(0), final(900, 'Hello.'), stops(1_000))).toEqual([
      '0 speaking',
      '1000 finishing',
      '1500 silent',
    ])
    expect(states({}, starts(0), stops(1_000))).toEqual(['0 speaking', '1000 finishing', '4000 silent'])
  })

  it('is finishing as long as words wait for the agent', () => {
    expect(
      states({}, sounds(0, false), starts(0), final(900, 'Hello.'), stops(1_000), falls(9_000)).slice(1),
    ).toEqual(['1000 finishing', '9000 silent'])
  })

  it('is finishing in mode manual only when somebody has ended the turn', () => {
    const spoken = [starts(0), interim(900, 'Hel'), stops(1_000)]
    expect(states({ mode: 'manual' }, ...spoken, plain('commit', 2_000))).toEqual([
      '0 speaking',
      '1000 silent',
      '2000 finishing',
      '5000 silent',
    ])
  })
})

describe('an idle user', () => {
  const idle = (...events: readonly TurnEvent[]): string[] =>
    new Play({ idle: 5_000, dtmf: {}, preemptive: true }, events).lines('user-idle')

  it('is told once after both were silent for long', () => {
    expect(idle(plain('live', 0))).toEqual(['5000 user-idle'])
    expect(idle(plain('live', 0), sounds(1_000), falls(3_000))).toEqual(['8000 user-idle'])
    expect(idle(plain('live', 0), starts(1_000), stops(2_000))).toEqual(['10000 user-idle'])
  })

  it('is told again after activity only', () => {
    expect(
      idle(plain('live', 0), final(9_000, ''), plain('live', 9_500), starts(20_000), stops(21_000)),
    ).toEqual(['5000 user-idle', '29000 user-idle'])
    expect(idle(plain('live', 0), key(9_000, '#'))).toEqual(['5000 user-idle', '14000 user-idle'])
  })

  it('is not idle while anything is in flight', () => {
    const tool = (at: number, running: boolean): TurnEvent => ({ type: 'tool', at, running })
    expect(idle(plain('live', 0), tool(1_000, true), tool(8_000, false))).toEqual(['13000 user-idle'])
    expect(idle(plain('live', 0), thinks(1_000), thinks(8_000, false))).toEqual(['13000 user-idle'])
    expect(idle(plain('live', 0), key(3_000, '1'))).toEqual(['11000 user-idle'])
    expect(idle(plain('live', 0), starts(1_000), stops(9_000), final(9_000, ''))).toEqual(['14000 user-idle'])
  })

  it('is counted from the turn that nobody answers', () => {
    expect(idle(plain('live', 0), typed(2_000, 'Hello'))).toEqual(['7000 user-idle'])
  })

  it('is idle also with words that nobody commits, in mode manual', () => {
    const events = [starts(0), final(900, 'Hello.'), stops(1_000)]
    expect(new Play({ mode: 'manual', idle: 5_000 }, events).lines('user-idle')).toEqual(['6000 user-idle'])
  })

  it('is told with the beginning of the silence, and not unless set', () => {
    expect(new Play({ idle: 10 }, [plain('live', 5)]).commands.at(-1)?.command).toEqual({
      type: 'user-idle',
      since: 5,
    })
    expect(new Play({}, [plain('live', 0)]).commands).toEqual([])
  })
})

describe('an ending session', () => {
  const all: TurnOptions = {
    idle: 5_000,
    preemptive: true,
    falseInterruption: {},
    dtmf: { as: 'text' },
    endpointing: { mode: 'dynamic', detector: true },
  }

  it('commits, begins, resumes and sets nothing any more', () => {
    const play = new Play(all, [plain('live', 0), plain('ending', 100)], 100)
    const events = [
      starts(200),
      final(300, 'Hello.'),
      stops(400),
      plain('commit', 500),
      plain('end-of-turn', 550),
      typed(600, 'Hi'),
      key(700, '1'),
      key(750, '#'),
      sounds(800),
      starts(900),
      plain('barge-in', 1_000),
      falls(1_100),
      plain('ending', 1_200),
    ]
    expect(events.flatMap((event) => play.tell(event))).toEqual([])
  })

  it('clears every timer', () => {
    const play = new Play(all, [key(0, '1'), starts(0), interim(100, 'Hel'), stops(200)], 200)
    const commands = play.tell(plain('ending', 300)).map(spell)
    expect(commands).toEqual(['clear endpoint', 'clear stable', 'clear digits'])
    expect(play.machine.state.timers).toEqual({})
  })

  it('still hears the user interrupt a goodbye, if asked', () => {
    const ending: TurnEvent = { type: 'ending', at: 0, bargeIn: true }
    expect(agent(all, ending, sounds(100), starts(1_000), final(2_000, 'Wait'), stops(2_100))).toEqual([
      '1500 interrupt',
    ])
    expect(agent(all, ending, sounds(100), plain('barge-in', 200))).toEqual(['200 interrupt'])
    expect(agent(all, ending, sounds(100, false), starts(1_000), plain('barge-in', 1_200))).toEqual([])
  })

  it('that goes on after all commits what the user said meanwhile', () => {
    const ending: TurnEvent = { type: 'ending', at: 0, bargeIn: true }
    const said = [
      sounds(100),
      starts(1_000),
      final(2_000, 'Wait!'),
      stops(2_100),
      falls(2_200),
      plain('live', 5_000),
    ]
    expect(agent({}, ending, ...said)).toEqual(['1500 interrupt', '5000 commit Wait!'])
    expect(agent({}, ending, starts(100), plain('live', 200), final(900, 'Wait!'), stops(1_000))).toEqual([
      '1500 commit Wait!',
    ])
    const stt = [starts(100), final(900, 'Wait!'), plain('end-of-turn', 950), plain('live', 1_000)]
    expect(agent({ mode: 'stt' }, ending, ...stt)).toEqual(['1000 commit Wait!'])
  })
})

describe('pending words', () => {
  const pending = (...events: readonly TurnEvent[]): unknown =>
    new Play({}, events, events.at(-1)?.at ?? 0).machine.pendingWords

  it('are none where nothing was said or all is committed', () => {
    const nothing = { speaking: false, transcribing: false, text: '' }
    expect(pending()).toEqual(nothing)
    expect(pending(starts(0), stops(500), final(600, ''))).toEqual(nothing)
    expect(pending(starts(0), final(400, 'Hello.'), stops(500), plain('live', 1_100))).toEqual(nothing)
  })

  it('are being spoken, then transcribed, then there', () => {
    const spoken = [starts(0), final(400, 'I'), interim(500, 'wan')]
    expect(pending(...spoken)).toEqual({ speaking: true, transcribing: false, text: 'I wan' })
    expect(pending(...spoken, stops(600))).toEqual({ speaking: false, transcribing: true, text: 'I wan' })
    expect(pending(...spoken, stops(600), final(700, 'want'))).toEqual({
      speaking: false,
      transcribing: false,
      text: 'I want',
    })
  })

  it('are still followed when the session is ending', () => {
    const spoken = [starts(0), plain('ending', 100), interim(500, 'Goo'), stops(600)]
    expect(pending(...spoken)).toEqual({ speaking: false, transcribing: true, text: 'Goo' })
    expect(pending(...spoken, final(5_000, 'Goodbye.'))).toEqual({
      speaking: false,
      transcribing: false,
      text: 'Goodbye.',
    })
  })

  it('hold what waits for the agent', () => {
    const said = [sounds(0, false), starts(0), final(400, 'Hello.'), stops(500), plain('live', 2_000)]
    expect(pending(...said, typed(2_100, 'Hi'))).toEqual({
      speaking: false,
      transcribing: false,
      text: 'Hello. Hi',
    })
  })
})

describe('the machine', () => {
  it('ignores a timer that was cleared or replaced while it was on its way', () => {
    const machine = new TurnMachine()
    machine.handle(starts(0))
    machine.handle(final(900, 'Hello.'))
    machine.handle(stops(1_000))
    machine.handle(starts(1_100))
    const stale: TurnEvent = { type: 'timer', timer: 'endpoint', due: 1_500, at: 1_500 }
    expect(machine.handle(stale)).toEqual([])
    machine.handle(final(1_600, 'More.'))
    machine.handle(stops(1_700))
    const before = machine.state
    expect(machine.handle({ ...stale, at: 2_600 })).toEqual([])
    expect(machine.state).toEqual(before)
  })

  it('believes a timer that fires a little early', () => {
    const machine = new TurnMachine()
    for (const event of [starts(0), final(900, 'Hello.'), stops(1_000)]) machine.handle(event)
    const commands = machine.handle({ type: 'timer', timer: 'endpoint', due: 1_500, at: 1_499 })
    expect(commands.map(spell)).toContain('commit Hello.')
  })

  it('counts the time that a late timer lost', () => {
    const machine = new TurnMachine({ falseInterruption: { timeout: 2_000, pauseAfter: 300 } })
    for (const event of [sounds(0), starts(1_000)]) machine.handle(event)
    const commands = machine.handle({ type: 'timer', timer: 'barge-in', due: 1_300, at: 1_400 })
    expect(commands.map(spell)).toEqual(['set barge-in 1500', 'set false-interruption 3400', 'pause'])
  })

  it('acts on what was due when another event comes before its timer', () => {
    const machine = new TurnMachine()
    for (const event of [starts(0), final(900, 'Hello.'), stops(1_000)]) machine.handle(event)
    expect(machine.handle(plain('live', 1_600)).map(spell)).toEqual([
      'clear endpoint',
      'commit Hello.',
      'silent',
    ])
  })

  it('tells timers first, so that whoever causes an event while carrying out the rest undoes none', () => {
    const machine = new TurnMachine({ idle: 5_000 })
    for (const event of [sounds(0), starts(0), final(300, 'Stop.'), stops(400)]) machine.handle(event)
    expect(machine.handle(plain('live', 900)).map(spell)).toEqual([
      'clear endpoint',
      'interrupt',
      'commit Stop.',
      'silent',
    ])
  })

  it('ignores a voice that starts or stops twice', () => {
    expect(agent({}, sounds(0), starts(1_000), starts(1_400), stops(1_600))).toEqual(['1500 interrupt'])
    expect(commits({}, starts(0), final(300, 'Hello.'), starts(500), stops(1_000))).toEqual([
      '1500 commit Hello.',
    ])
    expect(commits({}, starts(0), starts(500), final(900, 'Hello.'), stops(1_000), stops(1_400))).toEqual([
      '1500 commit Hello.',
    ])
  })

  it('goes on from the state of another', () => {
    const machine = new TurnMachine()
    for (const event of [starts(0), final(900, 'Hello.'), stops(1_000)]) machine.handle(event)
    const copy = new TurnMachine({}, structuredClone(machine.state))
    const timer: TurnEvent = { type: 'timer', timer: 'endpoint', due: 1_500, at: 1_500 }
    expect(copy.handle(timer)).toEqual(machine.handle(timer))
    expect(copy.state).toEqual(machine.state)
  })

  it('keeps a turn that nobody commits from growing without end', () => {
    const machine = new TurnMachine({ mode: 'manual' })
    for (let at = 0; at < 300; at++) machine.handle(final(at, `${at} ${'word '.repeat(100)}`))
    const { text } = machine.pendingWords
    expect(text.length).toBe(100_000)
    expect(text).toContain('299 word')
  })

  it.each([
    [{ endpointing: { delay: -1 } }, 'endpointing.delay must be a finite number of milliseconds'],
    [{ endpointing: { delay: 900, maxDelay: 800 } }, 'endpointing.maxDelay must be at least 900'],
    [{ idle: Number.NaN }, 'idle must be a finite number'],
    [{ bargeIn: { minWords: 0.5 } }, 'bargeIn.minWords must be a whole number, 0 or more'],
    [{ dtmf: { count: 0 } }, 'dtmf.count must be a whole number, 1 or more'],
    [{ preemptive: { attempts: 0 } }, 'preemptive.attempts must be'],
    [{ falseInterruption: { timeout: Number.POSITIVE_INFINITY } }, 'falseInterruption.timeout must be'],
    [{ vad: false }, "mode 'vad' without a VAD"],
    [{ wordless: true }, "wordless turns need mode 'manual'"],
  ] satisfies [TurnOptions, string][])('refuses options that cannot work: %j', (options, message) => {
    expect(() => new TurnMachine(options)).toThrow(OptionError)
    expect(() => new TurnMachine(options)).toThrow(message)
  })
})
