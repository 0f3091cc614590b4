import type { Scope, Timer } from '../scope/index.ts'
import type { SessionReport } from './report.ts'
import type { Budget, SessionSettings } from './settings.ts'

/** How long before its end a session is warned, and at which part of its budget. */
const WARNING = 30_000
const WARNING_PART = 0.8

export type Cap = 'idle' | 'max-duration' | 'budget'

export interface CapsHost {
  /** `left` is what is left: milliseconds, or the part of the budget. */
  warn(reason: Cap, left: number): void
  end(reason: Cap): void
}

/** The warning comes so long before the end, and not before half of the time is over. */
const warningOf = (time: number): number => Math.min(WARNING, time / 2)

/** How long both must be silent until the user is idle and is warned: the end comes later. */
export const idleWarning = (idleTimeout: number): number => idleTimeout - warningOf(idleTimeout)

/** What ends a session that nobody ends: silence, length, cost. Each warns first (CL14). */
export class Caps {
  readonly #scope: Scope<string>
  readonly #host: CapsHost
  readonly #budget: Budget
  readonly #idleTimeout: number | undefined
  #idle: Timer | undefined
  #warned = false
  #spent = false
  /** Milliseconds of sound. */
  #sound = 0

  constructor(
    scope: Scope<string>,
    { maxDuration, budget, idleTimeout }: Pick<SessionSettings, 'maxDuration' | 'budget' | 'idleTimeout'>,
    host: CapsHost,
  ) {
    this.#scope = scope
    this.#host = host
    this.#budget = budget
    this.#idleTimeout = idleTimeout
    if (maxDuration === undefined) return
    const warning = warningOf(maxDuration)
    scope.after(maxDuration - warning, 'warning of max-duration', () => host.warn('max-duration', warning))
    scope.after(maxDuration, 'max-duration', () => host.end('max-duration'))
  }

  /** Nobody has said anything for a while: the user is warned. What the agent says then changes nothing, the user does. */
  userIdle(): void {
    if (this.#idleTimeout === undefined) return
    const left = warningOf(this.#idleTimeout)
    this.#idle = this.#scope.after(left, 'idle', () => this.#host.end('idle'))
    this.#host.warn('idle', left)
  }

  /** The user does something. */
  userActive(): void {
    this.#idle?.clear()
    this.#idle = undefined
  }

  /** The agent makes sound. */
  sounded(ms: number): void {
    this.#sound += ms
    const { sound } = this.#budget
    if (sound !== undefined) this.#spend(this.#sound / sound)
  }

  used(usage: SessionReport['usage']): void {
    const { tokens, toolCalls } = this.#budget
    if (tokens !== undefined) this.#spend(((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)) / tokens)
    if (toolCalls !== undefined) this.#spend(usage.toolCalls / toolCalls)
  }

  #spend(part: number): void {
    if (part >= WARNING_PART && !this.#warned) {
      this.#warned = true
      this.#host.warn('budget', Math.max(0, 1 - part))
    }
    if (part >= 1 && !this.#spent) {
      this.#spent = true
      this.#host.end('budget')
    }
  }
}
