import type { PlayoutSettings } from '../../../src/session/speaking/playout-machine.ts'
import { caseOf, type Case } from '../case.ts'
import { playoutModel, type MoveName } from './playout-model.ts'

const small: PlayoutSettings = { playoutTimeout: 2, stallTimeout: 2, pauses: true }

const playout = (name: string, alphabet: readonly MoveName[]): Case =>
  caseOf(name, () => playoutModel(small, ['queue', 'sounding', 'made', 'interrupt', 'mute', ...alphabet]))

export const playoutCases: readonly Case[] = [
  playout('speeches that the line confirms, or does not', [
    'queue with priority',
    'made, to be heard later',
    'failed',
    'confirmed',
    'assumed',
    'an old mark',
    'interrupt the next',
  ]),
  playout('a line that is waited for before it is hung up', [
    'confirmed',
    'wait for the line',
    'do not wait',
    'failed',
  ]),
  playout('pauses', ['pause', 'resume', 'confirmed', 'made, to be heard later']),
  playout('voices that go on forever, and callers who are elsewhere', [
    'progress',
    'away',
    'back',
    'confirmed',
  ]),
]
