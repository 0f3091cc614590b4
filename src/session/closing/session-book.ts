import type { ConnectionReport, Usage } from '../../parts/index.ts'
import { describeError, type Ask, type Clock, type ErrorReport, type ScopeReport } from '../../scope/index.ts'
import type { History } from '../history/history.ts'
import { drops, type CloseReason } from './close-reason.ts'
import type { SessionReport, TurnReport } from './report.ts'

/** Maximum number of connections in a report, so that a part that opens one per sentence cannot make it grow forever. */
const MAX_CONNECTIONS = 200

/** Collects what happens in a session, and creates its report. */
export class SessionBook {
  readonly #id: string
  readonly #history: History
  readonly #connections: ConnectionReport[] = []
  #usage: Usage = {}
  #error: ErrorReport | undefined
  #startDate: number | undefined
  /** When the session was started, by its clock. */
  startedAt = 0
  /** The timing of each answered turn. */
  readonly turns: TurnReport[] = []
  /** How many turns the user has taken. */
  turnCount = 0
  toolCalls = 0
  /** Milliseconds of sound the agent has made. */
  sound = 0
  /** When the user stopped speaking. Unset once the answer is heard. */
  waitingSince: number | undefined

  constructor(id: string, history: History) {
    this.#id = id
    this.#history = history
  }

  started(clock: Clock): void {
    this.startedAt = clock.now()
    this.#startDate = clock.date()
  }

  /** Records why the session failed. The first error counts. */
  fail(error: unknown): void {
    this.#error ??= describeError(error)
  }

  used(usage: Usage): void {
    const sums: Record<string, number> = { ...this.#usage }
    for (const [name, value] of Object.entries(usage)) {
      if (Number.isFinite(value)) sums[name] = (sums[name] ?? 0) + Number(value)
    }
    this.#usage = sums
  }

  /** A connection has ended for good. Beyond the limit, connections that ended well are dropped first. */
  readonly connection = (ended: ConnectionReport): void => {
    this.#connections.push(Object.freeze({ ...ended }))
    if (this.#connections.length <= MAX_CONNECTIONS) return
    const fine = this.#connections.findIndex(({ how }) => how === 'acknowledged' || how === 'closed')
    this.#connections.splice(Math.max(0, fine), 1)
  }

  get usage(): SessionReport['usage'] {
    return { ...this.#usage, toolCalls: this.toolCalls, turns: this.turnCount }
  }

  /** `before` lists requests for a graceful end that was cut off. */
  write(reason: CloseReason, scope: ScopeReport, before: readonly Ask[]): SessionReport {
    const started = this.#startDate
    const broken = this.#connections.some(({ how }) => how === 'dropped' || how === 'aborted')
    const report: SessionReport = {
      version: 1,
      id: this.#id,
      reason,
      ...(scope.by === undefined ? {} : { by: scope.by }),
      ...(this.#error ? { error: this.#error } : {}),
      ...(started === undefined ? {} : { startedAt: new Date(started).toISOString() }),
      askedAt: scope.askedAt,
      lived: scope.lived,
      took: scope.took,
      closeTimeout: scope.closeTimeout,
      clean: scope.clean && !broken && !drops.has(reason) && this.#error === undefined,
      alsoAsked: Object.freeze([...before, ...scope.alsoAsked]),
      connections: Object.freeze([...this.#connections]),
      usage: Object.freeze(this.usage),
      turns: Object.freeze(this.turns.map((turn) => Object.freeze({ ...turn }))),
      transcript: this.#history.items,
      scope,
    }
    return Object.freeze(report)
  }
}
