import type { CallWrite, Entry, Journal, NewCall, Owner, WriteResult } from '../../host/journal/index.ts'
import type { HistoryItem, SessionReport } from '../../session/index.ts'

/** A lease that outlasts every check. */
export const LONG = 3_600_000
/** The time at which sample calls open. */
export const OPENED = Date.UTC(2026, 0, 1)

export const ownerOn = (host: string, worker = 'w1'): Owner => ({ host, worker, address: '127.0.0.1:4000' })

export const newCall = (id: string, changes: Partial<NewCall> = {}): NewCall => ({
  id,
  owner: ownerOn('h1'),
  agent: 'desk',
  line: 'phone',
  openedAt: OPENED,
  work: [],
  ...changes,
})

export const message = (seq: number, text: string): Entry => ({
  seq,
  at: OPENED + seq,
  item: { type: 'message', id: `m${seq}`, at: OPENED + seq, role: 'user', text },
})

export const toolCall = (seq: number, input: string, output: string): Entry => ({
  seq,
  at: OPENED + seq,
  item: {
    type: 'tool',
    id: `m${seq}`,
    at: OPENED + seq,
    call: 't1',
    name: 'find',
    input,
    result: { output, failed: false, at: OPENED + seq },
  },
})

export function reportOf(id: string, changes: Partial<SessionReport> = {}): SessionReport {
  const askedAt = new Date(OPENED + 60_000).toISOString()
  const close = { askedAt, lived: 60_000, took: 12, closeTimeout: 5_000, clean: true, alsoAsked: [] }
  const totals = { done: 3, failed: 0, cancelled: 0, closer: 0, ended: 0, abandoned: 0 }
  return {
    version: 1,
    id,
    reason: 'caller-hung-up',
    ended: 'hung-up',
    ...close,
    errors: [],
    errorCount: 0,
    guardrails: [],
    connections: [],
    usage: { toolCalls: 0, turns: 1, models: {} },
    turns: [{ latency: 420, at: 1_000, stages: { model: 300, voice: 120 }, heard: 'confirmed', by: 'reply' }],
    transcript: [],
    scope: {
      version: 1,
      name: 'session',
      reason: 'caller-hung-up',
      ...close,
      phases: [],
      steps: [],
      tasks: [],
      children: [],
      problems: [],
      totals,
      omitted: 0,
    },
    ...changes,
  }
}

export const joinAs = (journal: Journal, id: string, lease = LONG): Promise<void> =>
  journal.join({ id, name: `host ${id}`, version: '1.0.0', capacity: 50 }, lease)

export const write = async (journal: Journal, ...batch: CallWrite[]): Promise<readonly WriteResult[]> =>
  journal.write(batch)

export const opens = (call: NewCall): CallWrite => ({ type: 'open', call })
export const appends = (call: string, fence: number, ...entries: Entry[]): CallWrite => ({
  type: 'entries',
  call,
  fence,
  entries,
})
export const closes = (call: string, fence: number, changes?: Partial<SessionReport>): CallWrite => ({
  type: 'close',
  call,
  fence,
  report: reportOf(call, changes),
})

export const textOf = (item: HistoryItem): string => (item.type === 'message' ? item.text : '')

export const idsOf = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id)
