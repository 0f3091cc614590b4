import type { Agent } from 'node:http'
import { describeError, systemClock, type ErrorReport, type Late } from '../scope/index.ts'
import type { Context, Dispatcher, LateOrigin, Opened, Refusal } from './context.ts'
import { GuardClosedError } from './errors.ts'
import type { OpenResources } from './open-resources.ts'
import { limits } from './limits.ts'
import type { Pools } from './pools.ts'
import type { Timers } from './timers.ts'

/** An error of the guarded session that nobody caught, after its close was asked for. */
export interface LateErrorReport {
  readonly origin: LateOrigin
  /** Milliseconds after the ask. */
  readonly at: number
  readonly error: ErrorReport
}

/** What a guard keeps of a session until it is sealed. */
export interface OwnedByGuard {
  readonly resources: OpenResources
  readonly timers: Timers
  readonly pools: Pools
}

/**
 * The context of one guarded session. Whatever of the session never ends holds on to it; so it lets go of everything
 * else when the session is sealed, and what is left is small.
 */
export class GuardContext implements Context {
  readonly type = 'guard'
  readonly id: number
  readonly #name: string
  readonly #noNewConnects: boolean
  readonly #onLate: ((late: Late) => void) | undefined
  /** Gone once the guard is sealed. */
  #owned: OwnedByGuard | undefined
  #closingSince: number | undefined
  #refused = 0
  #lateInAll = 0
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

  /** How often something was refused, until now. */
  get refused(): number {
    return this.#refused
  }

  get lateErrors(): readonly LateErrorReport[] {
    return this.#late
  }

  get lateInAll(): number {
    return this.#lateInAll
  }

  own(owned: OwnedByGuard): void {
    this.#owned = owned
  }

  closing(): void {
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
    this.#lateInAll++
    if (this.#owned && this.#late.length < limits.late) {
      this.#late.push({ origin, at, error: describeError(error) })
    }
    this.#tell(error, origin, at)
    return true
  }

  #tell(error: unknown, origin: LateOrigin, at: number): void {
    const name = origin === 'uncaughtException' ? 'uncaught exception' : 'unhandled rejection'
    if (this.#onLate) {
      try {
        this.#onLate({ scope: this.#name, name, kind: 'task', outcome: 'failed', error, at })
      } catch {
        // The listener for late errors is broken: there is nobody left to tell.
      }
      return
    }
    if (this.#lateInAll > limits.lateWarnings) return
    const { name: sort, message } = describeError(error)
    process.emitWarning(
      `${name} in guarded session '${this.#name}', ${at} ms after its close was asked for: ${sort}: ${message}`,
      { type: 'GuardWarning', code: 'ENDWELL_LATE' },
    )
  }
}
