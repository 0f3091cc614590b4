import type { HostState, WorkCounts, WorkRecord } from '../../host/index.ts'
import { timeText } from '../../report/index.ts'
import { exitCodes } from '../command.ts'
import { alignColumns } from '../configuration.ts'
import { runOperatorCommand } from './operator-command.ts'
import { dateText } from './texts.ts'

export function hosts(args: readonly string[]): Promise<void> {
  return runOperatorCommand(
    {
      name: 'endwell hosts',
      summary: 'Lists the hosts that share a journal.',
      options: {},
      act: async (operator) => {
        const found = await operator.hosts()
        const lines = alignColumns([
          ['id', 'name', 'version', 'calls', 'started', 'state'],
          ...found.map(hostRow),
        ])
        return { value: { hosts: found }, lines: found.length === 0 ? ['no hosts'] : lines }
      },
    },
    args,
  )
}

function hostRow({ id, name, version, capacity, startedAt, draining, expired }: HostState): string[] {
  const state = expired ? 'silent' : draining ? 'draining' : 'taking calls'
  return [id, name, version, `up to ${capacity}`, dateText(startedAt), state]
}

export function drain(args: readonly string[]): Promise<void> {
  return runOperatorCommand(
    {
      name: 'endwell drain',
      summary:
        'Has a host take no more calls, and exit when the last one has ended, as SIGTERM does. Does not wait for it.',
      options: {
        host: { type: 'string', about: 'the id of the host (default: the one that is asked)', value: 'id' },
      },
      act: async (operator, { host }) => {
        const id = await operator.drain(host)
        return { value: { host: id, draining: true }, lines: [`host ${id} is draining`] }
      },
    },
    args,
  )
}

const states = ['waiting', 'running', 'done', 'dead'] as const

/** `endwell work`, `endwell work list` and `endwell work retry`. */
export function work([first, ...rest]: readonly string[]): Promise<void> {
  if (first === 'retry') return retry(rest)
  if (first === 'list' || first === undefined) return list(rest)
  return list([first, ...rest])
}

function list(args: readonly string[]): Promise<void> {
  return runOperatorCommand(
    {
      name: 'endwell work',
      summary:
        'Lists after-call work, oldest first. `endwell work retry` makes dead or waiting work due now: see its --help.',
      options: {
        state: { type: 'string', about: states.join(', '), value: 'state' },
        call: { type: 'string', about: 'only the work of this call', value: 'id' },
        limit: { type: 'number', about: 'how many pieces of work', default: 50, range: [1, 1_000] },
      },
      check: ({ state }) =>
        state === undefined || states.some((each) => each === state)
          ? undefined
          : `Option '--state' must be ${states.slice(0, -1).join(', ')} or ${states.at(-1)}, not '${state}'`,
      act: async (operator, { state, call, limit }) => {
        const found = await operator.work({
          limit,
          ...(state === undefined ? {} : { state: state as (typeof states)[number] }),
          ...(call === undefined ? {} : { call }),
        })
        const header = ['key', 'state', 'attempts', 'due', 'error']
        const rows = alignColumns([header, ...found.work.map(workRow)])
        return { value: found, lines: [...(found.work.length === 0 ? [] : rows), countsText(found.counts)] }
      },
    },
    args,
  )
}

function workRow({ key, state, attempts, dueAt, doneAt, error = '' }: WorkRecord): string[] {
  const at = doneAt ?? dueAt
  const due = state === 'dead' ? '–' : at === undefined ? 'after the call' : dateText(at)
  return [key, state, String(attempts), due, error]
}

function countsText({ waiting, running, dead, oldest }: WorkCounts): string {
  const age = waiting + running > 0 ? ` · the oldest is ${timeText(oldest)} old` : ''
  return `${waiting} waiting · ${running} running · ${dead} dead${age}`
}

function retry(args: readonly string[]): Promise<void> {
  return runOperatorCommand(
    {
      name: 'endwell work retry',
      summary: 'Makes dead or waiting work due now. Dead work starts over, with attempt 1.',
      argument: { name: 'KEY', about: 'the key of the work' },
      options: {
        call: { type: 'string', about: 'all work of this call', value: 'id' },
        'all-dead': { type: 'boolean', about: 'all work that is dead' },
      },
      check: ({ argument, call, 'all-dead': all }) =>
        [argument !== undefined, call !== undefined, all].filter(Boolean).length === 1
          ? undefined
          : 'Expected either a KEY, or --call, or --all-dead',
      act: async (operator, { argument, call }) => {
        const query =
          argument !== undefined ? { key: argument } : call !== undefined ? { call } : { dead: true as const }
        const retried = await operator.retry(query)
        const text = retried === 1 ? '1 piece of work is due now' : `${retried} pieces of work are due now`
        return {
          value: { retried },
          lines: [retried === 0 ? 'there is no such work that is dead or waiting' : text],
          code: retried === 0 ? exitCodes.failed : exitCodes.ok,
        }
      },
    },
    args,
  )
}
