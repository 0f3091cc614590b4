import type { TurnOptions } from '../../../src/session/hearing/turn-options.ts'
import { caseOf, type Case } from '../case.ts'
import { turnModel } from './turn-model.ts'
import { late, moves, speech, talk, unsure, type MoveName } from './turn-moves.ts'

const small = { endpointing: { delay: 1, maxDelay: 3 }, bargeIn: { minDuration: 2 } } as const
const pausing = { ...small, falseInterruption: { timeout: 2 } } as const
const detecting = { mode: 'dynamic', minDelay: 1, maxDelay: 3, detector: true } as const
const everything: TurnOptions = {
  ...pausing,
  endpointing: detecting,
  bargeIn: { minDuration: 2, minWords: 2 },
  preemptive: { stableFor: 1 },
  idle: 3,
  dtmf: { as: 'text', count: 2, timeout: 2 },
}

const turns = (name: string, options: TurnOptions, alphabet: readonly MoveName[], depth?: number): Case =>
  caseOf(name, () => turnModel(options, alphabet), depth)

export const turnCases: readonly Case[] = [
  turns('turns that end by silence', small, [...talk, ...late, ...unsure, 'end']),
  turns('turns that are typed or that the application ends', small, [
    ...talk,
    'interim',
    'commit',
    'discard',
    'type',
    'end',
  ]),
  turns('barge-in', small, [...talk, ...speech, 'sound uninterruptibly', 'think', 'stop thinking', 'end']),
  turns('false interruptions', pausing, [...talk, 'interim', ...speech, 'end with a goodbye', 'live again']),
  turns('false interruptions and murmurs', { ...pausing, bargeIn: { minDuration: 2, minWords: 2 } }, [
    ...talk,
    'interim',
    ...speech,
    'end',
  ]),
  turns('preemptive replies', { ...small, preemptive: { stableFor: 1, attempts: 2 } }, [
    ...talk,
    ...unsure,
    'type',
    'discard',
    'end',
    'live again',
  ]),
  turns('turns that the STT ends', { ...small, mode: 'stt' }, [...talk, 'end of turn', ...speech, 'end']),
  turns('turns that the STT ends, without a VAD', { ...small, mode: 'stt', vad: false }, [
    'interim',
    'final',
    'empty final',
    'end of turn',
    ...speech,
    'end',
  ]),
  turns(
    'turns that an STT with eager ends takes, without a VAD',
    { ...small, mode: 'stt', vad: false, preemptive: { stableFor: 1, attempts: 2 } },
    ['stt start', 'interim', 'maybe end of turn', 'turn resumed', 'final', 'end of turn', 'end'],
  ),
  turns(
    'turns that an STT with eager ends takes, with a VAD',
    { ...small, mode: 'stt', preemptive: { stableFor: 1, attempts: 2 } },
    ['start', 'stop', 'interim', 'maybe end of turn', 'turn resumed', 'final', 'end of turn'],
  ),
  turns('turns that the application ends', { ...small, mode: 'manual' }, [
    'start',
    'stop',
    'interim',
    'final',
    'commit',
    'sound uninterruptibly',
    'stop sounding',
    'end',
  ]),
  turns(
    'turns that the application ends, with a model that hears the audio itself',
    { ...small, mode: 'manual', wordless: true },
    ['start', 'stop', 'final', 'commit', 'type', 'sound uninterruptibly', 'stop sounding', 'end'],
  ),
  turns('turns with a realtime model', { ...small, mode: 'realtime' }, [
    'start',
    'stop',
    'final',
    'type',
    ...speech,
    'sound uninterruptibly',
    'end with a goodbye',
  ]),
  turns('idle users and telephone keys', { ...small, idle: 3, dtmf: { as: 'text', count: 2, timeout: 2 } }, [
    'press 1',
    'press #',
    'start',
    'stop',
    ...speech,
    'tool on',
    'tool off',
    'end',
  ]),
  // The average of the user's pauses has no end of values.
  turns(
    'turns with a turn detector',
    { ...small, endpointing: detecting },
    [...talk, 'judged finished', 'judged unfinished', 'not judged', 'end'],
    12,
  ),
  turns('all options and events together', everything, Object.keys(moves) as MoveName[], 3),
]
