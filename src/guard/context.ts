import type { Agent } from 'node:http'

/** The kind of something that was opened, as it appears in the report. */
export type OpenedKind = 'socket' | 'udp socket' | 'server' | 'process' | 'worker' | 'request' | 'adopted'

/** Something that guarded work has opened. */
export interface Opened {
  readonly kind: OpenedKind
  /** A display name. Contains no secrets: neither the path of a URL nor the arguments of a program. */
  readonly name: string
  readonly thing: object
  /** Calls `ended` when it has ended, for whatever reason. */
  onEnd(ended: () => void): void
  /** Asks it to end. Only for adopted things, which the guarded framework does not know. */
  askToEnd?(): void
  /** Ends it now. Synchronous and idempotent. */
  abort(): void
}

/** The error for an attempt that is refused, and the delay in milliseconds before it is reported. */
export interface Refusal {
  readonly error: Error
  readonly delay: number
}

export type LateOrigin = 'uncaughtException' | 'unhandledRejection'

/** The part of an undici dispatcher that is used here. */
export interface Dispatcher {
  dispatch(options: object, handler: DispatchHandler): boolean
  close?(): Promise<void>
  destroy?(error?: Error): Promise<void>
}

export type DispatchHandler = Readonly<Record<string, unknown>>

/**
 * The context that guarded work runs in, as the hooks see it.
 *
 * Hooks and guards may come from different copies of the package. This interface, `Outside` and `Runtime` are shared
 * between the copies: a change to them needs a new version in `runtime.ts`.
 */
export interface Context {
  readonly type: 'guard'
  /** Unique in the process. Identifies the guard's part of a shared pool. */
  readonly id: number
  /** Returns undefined if `what` is allowed. */
  refuse(what: string): Refusal | undefined
  opened(opened: Opened): void
  timer(timer: NodeJS.Timeout, repeats: boolean): void
  /** The guard uses this HTTP agent, which may hold connections of the guard from now on. */
  agent(agent: Agent): void
  /** Returns the guard's own connection pool, or undefined if the shared one cannot be replaced. */
  dispatcher(shared: Dispatcher): Dispatcher | undefined
  /** Handles an uncaught error. Returns false, unhandled, unless the session is closing or closed. */
  late(error: unknown, origin: LateOrigin): boolean
}

/** The context of work that deliberately belongs to no guard. */
export interface Outside {
  readonly type: 'outside'
}

export type Store = Context | Outside
