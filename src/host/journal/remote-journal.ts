import { EndwellError, describeError, type ErrorCode } from '../../scope/index.ts'
import type { Journal } from './journal.ts'

// A process that has no connection to the database of its own asks another one: a worker asks its supervisor, and
// `endwell dev` asks a thread. Both carry requests and answers as plain messages.

/** A call of a method of the journal. */
export interface JournalRequest {
  readonly method: keyof Journal
  readonly args: readonly unknown[]
}

export type JournalAnswer =
  | { readonly value: unknown }
  | { readonly error: { readonly code: string | undefined; readonly message: string } }

/** Every method that can be called from afar. Only the owner of a journal closes it. */
const methods: Readonly<Record<Exclude<keyof Journal, 'close' | 'onWake'>, true>> = {
  join: true,
  beat: true,
  drain: true,
  leave: true,
  hosts: true,
  write: true,
  orphan: true,
  adopt: true,
  orphans: true,
  take: true,
  find: true,
  list: true,
  report: true,
  entries: true,
  order: true,
  claim: true,
  renew: true,
  settle: true,
  release: true,
  retry: true,
  work: true,
  workCounts: true,
  claimDial: true,
  settleDial: true,
  findDial: true,
  addRecording: true,
  prune: true,
  redact: true,
}

/** The journal of another process. `ask` delivers a request and resolves with the answer; it rejects if the other is gone. */
export function remoteJournal(ask: (request: JournalRequest) => Promise<JournalAnswer>): Journal {
  const call = async (method: keyof Journal, args: readonly unknown[]): Promise<unknown> => {
    const answer = await ask({ method, args })
    // Not by its value: messages between processes leave out what is undefined.
    if (!('error' in answer)) return answer.value
    const { code = 'FAILED', message } = answer.error
    throw new EndwellError(code as ErrorCode, message)
  }
  const stubs = Object.keys(methods).map((method) => [
    method,
    (...args: unknown[]) => call(method as keyof Journal, args),
  ])
  return { ...Object.fromEntries(stubs), close: () => Promise.resolve() } as Journal
}

/** Carries out a request. Never rejects: what fails is in the answer. The request may be anything. */
export async function answerRequest(journal: Journal, request: unknown): Promise<JournalAnswer> {
  try {
    const { method, args } = request as JournalRequest
    if (!Object.hasOwn(methods, method)) throw new EndwellError('BAD_REQUEST', `no method '${method}'`)
    const run = journal[method] as (...args: readonly unknown[]) => Promise<unknown>
    return { value: await run.apply(journal, [...args]) }
  } catch (error) {
    const { code, message } = describeError(error)
    return { error: { code, message } }
  }
}
