import type { Order } from '../journal/journal.ts'
import { limits } from './limits.ts'

// What a supervisor and its workers send each other. A worker runs foreign code, so that whatever comes from it is checked
// before it is used: `readMessage` and `readWatchdogLine` return undefined for anything else.
//
//   worker ──IPC──▶ supervisor        ready, calls, taken, request, metrics, drained, pass (with a socket)
//   worker's watchdog thread ──pipe──▶ supervisor    beat, blocked: they arrive even while the worker's event loop is blocked
//   supervisor ──IPC──▶ worker        drain, close, abort, answer, order, host, wake, metrics, connection and passed (with a socket)

/** From a worker, over IPC. */
export type WorkerMessage =
  /** It takes calls. `address` is where other processes reach it; the work worker has none. */
  | { readonly type: 'ready'; readonly address?: string }
  | { readonly type: 'calls'; readonly count: number }
  /** It has the socket of the oldest `connection` that it has not confirmed. */
  | { readonly type: 'taken' }
  /** Something that only the supervisor can do, such as writing to the journal. */
  | { readonly type: 'request'; readonly id: number; readonly body: unknown }
  /** The answer to `metrics`. */
  | { readonly type: 'metrics'; readonly id: number; readonly body: unknown }
  /** Comes with the socket of a call that it has no room for. */
  | ({ readonly type: 'pass' } & PassedRequest)
  /** All its calls have ended. It exits next. */
  | { readonly type: 'drained'; readonly clean: boolean; readonly written: boolean }

/** A message that comes without a socket. */
export type PlainMessage = Exclude<WorkerMessage, { readonly type: 'pass' }>

/** From the watchdog thread of a worker, a line of JSON each. */
export type WatchdogMessage =
  /** `stuck`: for how many milliseconds the event loop has not turned. `rss`: the memory of the process, in bytes. */
  | { readonly type: 'beat'; readonly stuck: number; readonly rss: number }
  | ({ readonly type: 'blocked' } & Block)

/** An event loop that was blocked. */
export interface Block {
  /** For how many milliseconds, so far. */
  readonly ms: number
  /**
   * `cut`: the culprit was stopped. `named`: it was not, because cutting is off or it ended by itself. `stuck`: it is in native code and cannot
   * be stopped, so its process is killed.
   */
  readonly how: 'cut' | 'named' | 'stuck'
  /** The culprit: the innermost function that is neither Node's nor endwell's. Absent if the stack could not be read. */
  readonly culprit?: Frame
  /** Innermost first, one per line, as in the stack of an error. Empty if it could not be read. */
  readonly stack: string
}

export interface Frame {
  /** `(anonymous)` for a function without a name. */
  readonly function: string
  /** A path, or the URL of a module that is not a file. */
  readonly file: string
  readonly line: number
  readonly column: number
}

/** To a worker, over IPC. */
export type SupervisorMessage =
  /** Take no new calls. Exit after the last one. Calls that go on for longer than `within` milliseconds are closed. */
  | { readonly type: 'drain'; readonly within: number }
  /** Close all calls within this many milliseconds, and exit. */
  | { readonly type: 'close'; readonly within: number }
  /** Abort all calls: the worker is about to be killed. */
  | { readonly type: 'abort' }
  | { readonly type: 'answer'; readonly id: number; readonly body?: unknown; readonly error?: AnswerError }
  | ({ readonly type: 'order' } & Order)
  /** The host has this id now: its lease was over. All calls of the worker belong to other processes. */
  | { readonly type: 'host'; readonly id: string }
  /** Work may be due; or, for a call worker, calls of other workers have changed. */
  | { readonly type: 'wake' }
  | { readonly type: 'metrics'; readonly id: number }
  /** Comes with a socket that somebody has opened to the public port. */
  | { readonly type: 'connection' }
  /** Comes with a socket that another worker has passed on. */
  | ({ readonly type: 'passed' } & PassedRequest)

/** The request of a connection that one worker passes to another. */
export interface PassedRequest {
  /** What was read from the connection, a character per byte. */
  readonly head: string
  /** How many times it was passed on. From `limits.hops` on, it is answered. */
  readonly hops: number
}

export interface AnswerError {
  readonly code?: string
  readonly message: string
}

/** What a worker is, as its supervisor tells it in the environment. */
export interface WorkerIdentity {
  readonly name: string
  readonly role: 'calls' | 'work'
  readonly closeTimeout: number
}

/** The environment variable that has the `WorkerIdentity`, as JSON. */
export const IDENTITY = 'ENDWELL_WORKER'

/** The pipe of the watchdog, as its process sees it. 0 to 2 are standard streams, 3 is the IPC channel. */
export const WATCHDOG_FD = 4

export function readMessage(value: unknown): WorkerMessage | undefined {
  if (!isRecord(value)) return undefined
  const { type, id, body, address, count, clean, written, head, hops } = value
  switch (type) {
    case 'ready':
      if (address === undefined) return { type }
      return isText(address, 255) ? { type, address } : undefined
    case 'taken':
      return { type }
    case 'calls':
      return isCount(count) ? { type, count } : undefined
    case 'request':
    case 'metrics':
      return isCount(id) ? { type, id, body } : undefined
    case 'pass':
      return isText(head, limits.head) && isCount(hops) ? { type, head, hops } : undefined
    case 'drained':
      return typeof clean === 'boolean' && typeof written === 'boolean' ? { type, clean, written } : undefined
    default:
      return undefined
  }
}

export function readWatchdogLine(line: string): WatchdogMessage | undefined {
  const value = parse(line)
  if (!isRecord(value)) return undefined
  const { type, stuck, rss, ms, how, stack, culprit } = value
  if (type === 'beat') return isCount(stuck) && isCount(rss) ? { type, stuck, rss } : undefined
  if (type !== 'blocked' || !isCount(ms) || !isText(stack, 100_000)) return undefined
  if (how !== 'cut' && how !== 'named' && how !== 'stuck') return undefined
  return { type, ms, how, stack, ...(isFrame(culprit) ? { culprit } : {}) }
}

function isFrame(value: unknown): value is Frame {
  if (!isRecord(value)) return false
  return (
    isText(value['function'], 1_000) &&
    isText(value['file'], 5_000) &&
    isCount(value['line']) &&
    isCount(value['column'])
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
