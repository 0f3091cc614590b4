import type { Agent } from 'node:http'
import { describeError, systemClock, type ErrorReport, type Late } from '../scope/index.ts'
import type { Context, Dispatcher, LateOrigin, Opened, Refusal } from './context.ts'
import { GuardClosedError } from './errors.ts'
import type { OpenResources } from './open-resources.ts'
import { limits } from './limits.ts'
import type { Pools } from './pools.ts'
import type { Timers } from './timers.ts'

/** An uncaught error of the guarded session after closing began. */
export interface LateErrorReport {
  readonly origin: LateOrigin
  /** Milliseconds since closing began. */
  readonly at: number
  readonly error: ErrorReport
}

/** What a guard owns until it is sealed. */
export interface OwnedByGuard {
  readonly resources: OpenResources
  readonly timers: Timers
  readonly pools: Pools
}

/**
 * The context of one guarded session. Work of the session that never ends keeps it in memory, so it releases everything
 * else when the guard is sealed.
 */
export class GuardContext implements Context {
  readonly type = 'guard'
  readonly id: number
  readonly #name: string
  readonly #noNewConnects: boolean
  readonly #onLate: ((late: Late) => void) | undefined
  /** Unset once the guard is sealed. */
  #owned: OwnedByGuard | undefined
  #closingSince: number | undefined
  #refused = 0
  #lateTotal = 0
  #late: LateErrorReport[] = []

  constructor(
    id: number,
    options: { name: string; noNewConnects: boolean; onLate: ((late: Late) => void) | undefined },
  ) {
    this.id = id
    this.#name = options.name
    this.#noNewConnects = options.noNewConnects
    this.#onLate = options.onLate
  }

  get name(): string {
    return this.#name
  }

  /** How many attempts to open something have been refused so far. */
  get refused(): number {
    return this.#refused
  }

  get lateErrors(): readonly LateErrorReport[] {
    return this.#late
  }

  get lateTotal(): number {
    return this.#lateTotal
  }

  own(owned: OwnedByGuard): void {
    this.#owned = owned
  }

  beginClosing(): void {
    this.#closingSince = systemClock.now()
  }

  seal(): void {
    this.#owned = undefined
    this.#late = []
  }

  refuse(what: string): Refusal | undefined {
    const closing = this.#closingSince !== undefined
    if (this.#owned && !(closing && this.#noNewConnects)) return undefined
    const slow = ++this.#refused - limits.quickRefusals
    const delay =
      slow <= 0 ? 0 : Math.min(limits.longestRefusalDelay, limits.refusalDelay * 2 ** Math.min(slow - 1, 10))
    return { error: new GuardClosedError(this.#name, what), delay }
  }

  opened(opened: Opened): void {
    if (this.#owned) this.#owned.resources.add(opened)
    else opened.abort()
  }

  timer(timer: NodeJS.Timeout, repeats: boolean): void {
    if (this.#owned) this.#owned.timers.add(timer, repeats)
    else if (repeats) clearInterval(timer)
    else timer.unref()
  }

  agent(agent: Agent): void {
    this.#owned?.pools.agent(agent)
  }

  dispatcher(shared: Dispatcher): Dispatcher | undefined {
    return this.#owned?.pools.dispatcher(shared)
  }

  late(error: unknown, origin: LateOrigin): boolean {
    if (this.#closingSince === undefined) return false
    const at = Math.round(systemClock.now() - this.#closingSince)
    this.#lateTotal++
    if (this.#owned && this.#late.length < limits.late) {
      this.#late.push({ origin, at, error: describeError(error) })
    }
    this.#report(error, origin, at)
    return true
  }

  #report(error: unknown, origin: LateOrigin, at: number): void {
    const name = origin === 'uncaughtException' ? 'uncaught exception' : 'unhandled rejection'
    if (this.#onLate) {
      try {
        this.#onLate({ scope: this.#name, name, kind: 'task', outcome: 'failed', error, at })
      } catch {
        // `onLate` itself is broken, and there is nowhere else to report an error.
      }
      return
    }
    if (this.#lateTotal > limits.lateWarnings) return
    const { name: kind, message } = describeError(error)
    process.emitWarning(
      `${name} in guarded session '${this.#name}', ${at} ms after it began to close: ${kind}: ${message}`,
      { type: 'GuardWarning', code: 'ENDWELL_LATE' },
    )
  }
}
