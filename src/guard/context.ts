import type { Agent } from 'node:http'

/** What sort of thing was opened, in the words of the report. */
export type OpenedKind = 'socket' | 'udp socket' | 'server' | 'process' | 'worker' | 'request' | 'adopted'

/** Something that was opened by guarded work, and how it ends. */
export interface Opened {
  readonly kind: OpenedKind
  /** What it is, for people. Holds no secret: neither a path of a URL nor the arguments of a program. */
  readonly name: string
  readonly thing: object
  /** Calls back when it has ended, for whatever reason. */
  onEnd(ended: () => void): void
  /** Asks it to go: only for what the guarded framework cannot know of. */
  leave?(): void
  /** Ends it now: synchronous, idempotent. */
  abort(): void
}

/** Why something may not be opened, and after how many milliseconds that is to be said. */
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
 * Hooks and guards can be of two copies of the package: this interface, `Outside` and `Runtime` are what the copies
 * agree on. Who changes them changes the version in `runtime.ts`.
 */
export interface Context {
  readonly type: 'guard'
  /** Unique in the process: it names the guard's part of a shared pool. */
  readonly id: number
  /** Undefined if `what` may be done. */
  refuse(what: string): Refusal | undefined
  opened(opened: Opened): void
  timer(timer: NodeJS.Timeout, repeats: boolean): void
  /** An HTTP agent is being used: it holds connections of this guard from now on. */
  agent(agent: Agent): void
  /** The guard's own pool of connections, in place of the one that all share; undefined if it cannot be had. */
  dispatcher(shared: Dispatcher): Dispatcher | undefined
  /** Nobody caught this. Returns whether it is taken: only from a session that is closing or closed. */
  late(error: unknown, origin: LateOrigin): boolean
}

/** The context of work that belongs to no guard, and is known not to. */
export interface Outside {
  readonly type: 'outside'
}

export type Store = Context | Outside
