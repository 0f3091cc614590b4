import type { ConnectionReport, Usage } from '../parts/index.ts'
import { describeError, type Ask, type Clock, type ErrorReport, type ScopeReport } from '../scope/index.ts'
import type { Conversation } from './conversation.ts'
import type { History } from './history.ts'
import { isDrop, type CloseReason, type SessionReport } from './report.ts'

/** Connections a report lists: a part that opens one for each sentence must not make it grow without end. */
const mostConnections = 200

/** Collects what a session has done, and writes its report. */
export class SessionBook {
  readonly #id: string
  readonly #history: History
  readonly #connections: ConnectionReport[] = []
  #usage: Usage = {}
  #toolCalls = 0
  #error: ErrorReport | undefined
  #startedAt: { readonly now: number; readonly date: number } | undefined

  constructor(id: string, history: History) {
    this.#id = id
    this.#history = history
  }

  started(clock: Clock): void {
    this.#startedAt = { now: clock.now(), date: clock.date() }
  }

  /** What the session failed for. The first counts. */
  error(error: unknown): void {
    this.#error ??= describeError(error)
  }

  used(usage: Usage): void {
    const sums: Record<string, number> = { ...this.#usage }
    for (const [name, value] of Object.entries(usage)) {
      if (Number.isFinite(value)) sums[name] = (sums[name] ?? 0) + Number(value)
    }
    this.#usage = sums
  }

  calledTool(): void {
    this.#toolCalls++
  }

  /** A connection is over for good. Those that ended badly are kept first. */
  connection(ended: ConnectionReport): void {
    this.#connections.push(Object.freeze({ ...ended }))
    if (this.#connections.length <= mostConnections) return
    const fine = this.#connections.findIndex(({ how }) => how === 'acknowledged' || how === 'closed')
    this.#connections.splice(Math.max(0, fine), 1)
  }

  get usage(): SessionReport['usage'] {
    return { ...this.#usage, toolCalls: this.#toolCalls, turns: 0 }
  }

  /** `before` are those who wanted a graceful end that was cut off. */
  write(
    reason: CloseReason,
    scope: ScopeReport,
    conversation: Conversation | undefined,
    before: readonly Ask[],
  ): SessionReport {
    const started = this.#startedAt
    const broken = this.#connections.some(({ how }) => how === 'dropped' || how === 'aborted')
    const report: SessionReport = {
      version: 1,
      id: this.#id,
      reason,
      ...(scope.by === undefined ? {} : { by: scope.by }),
      ...(this.#error ? { error: this.#error } : {}),
      ...(started ? { startedAt: new Date(started.date).toISOString() } : {}),
      askedAt: scope.askedAt,
      lived: scope.lived,
      took: scope.took,
      closeTimeout: scope.closeTimeout,
      clean: scope.clean && !broken && !isDrop(reason) && this.#error === undefined,
      alsoAsked: Object.freeze([...before, ...scope.alsoAsked]),
      connections: Object.freeze([...this.#connections]),
      usage: Object.freeze({ ...this.usage, turns: conversation?.turnCount ?? 0 }),
      turns: Object.freeze((conversation?.turnReports ?? []).map((turn) => Object.freeze({ ...turn }))),
      transcript: this.#history.items,
      scope,
    }
    return Object.freeze(report)
  }
}
