import { describe, expect, it } from 'vitest'
import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import { explore } from './explore-turns.ts'
import { late, moves, speech, talk, unsure, type MoveName } from './turn-moves.ts'

const small = { endpointing: { delay: 1, maxDelay: 3 }, bargeIn: { minDuration: 2 } } as const
const pausing = { ...small, falseInterruption: { timeout: 2 } } as const
const everything: TurnOptions = {
  ...pausing,
  endpointing: { mode: 'dynamic', minDelay: 1, maxDelay: 3, detector: true },
  bargeIn: { minDuration: 2, minWords: 2 },
  preemptive: { stableFor: 1 },
  idle: 3,
  dtmf: { as: 'text', count: 2, timeout: 2 },
}

describe('in every order of events, however long', () => {
  it.each<[string, TurnOptions, readonly MoveName[]]>([
    ['turns that end by silence', small, [...talk, ...late, ...unsure, 'end']],
    [
      'turns that are typed or that the application ends',
      small,
      [...talk, 'interim', 'commit', 'discard', 'type', 'end'],
    ],
    ['barge-in', small, [...talk, ...speech, 'sound uninterruptibly', 'think', 'stop thinking', 'end']],
    ['false interruptions', pausing, [...talk, 'interim', ...speech, 'end with a goodbye', 'live again']],
    [
      'false interruptions and murmurs',
      { ...pausing, bargeIn: { minDuration: 2, minWords: 2 } },
      [...talk, 'interim', ...speech, 'end'],
    ],
    [
      'preemptive replies',
      { ...small, preemptive: { stableFor: 1, attempts: 2 } },
      [...talk, ...unsure, 'type', 'discard', 'end', 'live again'],
    ],
    ['turns that the STT ends', { ...small, mode: 'stt' }, [...talk, 'end of turn', ...speech, 'end']],
    [
      'turns that the STT ends, without a VAD',
      { ...small, mode: 'stt', vad: false },
      ['interim', 'final', 'empty final', 'end of turn', ...speech, 'end'],
    ],
    [
      'turns that an STT with eager ends takes, without a VAD',
      { ...small, mode: 'stt', vad: false, preemptive: { stableFor: 1, attempts: 2 } },
      ['stt start', 'interim', 'maybe end of turn', 'turn resumed', 'final', 'end of turn', 'end'],
    ],
    [
      'turns that an STT with eager ends takes, with a VAD',
      { ...small, mode: 'stt', preemptive: { stableFor: 1, attempts: 2 } },
      ['start', 'stop', 'interim', 'maybe end of turn', 'turn resumed', 'final', 'end of turn'],
    ],
    [
      'turns that the application ends',
      { ...small, mode: 'manual' },
      ['start', 'stop', 'interim', 'final', 'commit', 'sound uninterruptibly', 'stop sounding', 'end'],
    ],
    [
      'turns that the application ends, with a model that hears the audio itself',
      { ...small, mode: 'manual', wordless: true },
      ['start', 'stop', 'final', 'commit', 'type', 'sound uninterruptibly', 'stop sounding', 'end'],
    ],
    [
      'turns with a realtime model',
      { ...small, mode: 'realtime' },
      ['start', 'stop', 'final', 'type', ...speech, 'sound uninterruptibly', 'end with a goodbye'],
    ],
    [
      'idle users and telephone keys',
      { ...small, idle: 3, dtmf: { as: 'text', count: 2, timeout: 2 } },
      ['press 1', 'press #', 'start', 'stop', ...speech, 'tool on', 'tool off', 'end'],
    ],
  ])('%s: no rule is broken', (_, options, alphabet) => {
    expect(explore(options, alphabet)).toMatchObject({ all: true })
  })

  it('turns with a turn detector break no rule in the first 5,000 states', () => {
    const alphabet: MoveName[] = [...talk, 'judged finished', 'judged unfinished', 'not judged', 'end']
    const { endpointing } = everything
    const found = explore({ ...small, ...(endpointing && { endpointing }) }, alphabet, 5_000)
    expect(found.depth).toBeGreaterThan(8)
  })

  it('all options and events together break no rule in the first 5,000 states', () => {
    expect(explore(everything, Object.keys(moves) as MoveName[], 5_000).depth).toBeGreaterThan(3)
  })
})
