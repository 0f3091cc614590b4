import type { SessionMachineSettings } from '../../../src/session/closing/session-machine.ts'
import { caseOf, type Case } from '../case.ts'
import { sessionModel, type MoveName } from './session-model.ts'

const small: SessionMachineSettings = {
  stallTimeout: 2,
  goodbye: { idle: 'Are you there? Goodbye.' },
  maxFailures: 2,
  apology: { again: 'Sorry?', end: 'Sorry. Goodbye.' },
}

const sessions = (name: string, more: Partial<SessionMachineSettings>, alphabet: readonly MoveName[]): Case =>
  caseOf(name, () => sessionModel({ ...small, ...more }, ['open', 'close', ...alphabet]))

const ends = ['hang up', 'hang up, cancellable', 'drain', 'turn finished', 'goodbye heard'] as const
const goodbyes = ['goodbye sent', 'goodbye interrupted', 'goodbye failed'] as const

export const sessionCases: readonly Case[] = [
  sessions('goodbyes, drains and drops', {}, [...ends, ...goodbyes, 'hang up from a tool', 'caller lost']),
  sessions('graceful ends that make progress forever', { endTimeout: 4 }, [...ends, ...goodbyes, 'progress']),
  sessions('a session that must not last longer', { maxDuration: 6 }, [
    ...ends,
    'goodbye interrupted',
    'hang up from a tool',
  ]),
  sessions('a caller who says nothing', { idleTimeout: 4 }, [
    ...ends,
    'goodbye interrupted',
    'user idle',
    'user active',
  ]),
  sessions('models that fail, and money that is spent', {}, [
    ...ends,
    'goodbye interrupted',
    'model fails',
    'model works',
    'apology ends',
    'most is spent',
    'all is spent',
  ]),
]
