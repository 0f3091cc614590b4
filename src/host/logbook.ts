import { OptionError, type Scope } from '../scope/index.ts'
import type { Session } from '../session/index.ts'
import { limits } from './limits.ts'
import { LoggedSession, type SessionNote } from './logged-session.ts'
import { wentWrong, type SessionSummary } from './wire/index.ts'

export interface LogbookOptions {
  /** How many of the latest reports are kept. Default: 200. */
  readonly reports?: number
}

export interface LogbookQuery {
  /** Text that occurs in the session's id, agent, caller, close reason, culprit or transcript. */
  readonly words?: string
  /** `live` matches every session that is not closed. */
  readonly state?: 'live' | 'closed'
  readonly clean?: boolean
  /** Whether the call is not clean, or a tool failed in it. Only of calls that have ended. */
  readonly wrong?: boolean
  /** Only sessions that were added at this time or later, in milliseconds since 1970. */
  readonly since?: number
}

/**
 * The live sessions of this process, and the reports of the latest closed ones.
 *
 * ```ts
 * const logbook = new Logbook(scope)
 * logbook.add(session, { agent: 'desk', from: 'browser' })
 * logbook.list({ state: 'closed', clean: false })
 * ```
 */
export class Logbook {
  readonly #scope: Scope<string>
  readonly #reports: number
  /** In the order in which they were added. */
  readonly #sessions = new Map<string, LoggedSession>()
  /** Ids of closed sessions, in the order in which they closed. */
  readonly #closed = new Set<string>()
  readonly #watchers = new Set<(summary: SessionSummary) => void>()

  constructor(scope: Scope<string>, { reports = limits.reports }: LogbookOptions = {}) {
    if (!Number.isSafeInteger(reports) || reports < 0)
      throw new OptionError(`reports must be a whole number, 0 or more; it is ${reports}`)
    this.#scope = scope
    this.#reports = reports
  }

  /** Adds a session. Add it before it starts. */
  add(session: Session, note: SessionNote = {}): LoggedSession {
    if (session.state === 'closed') throw new OptionError(`session '${session.id}' is already closed`)
    const known = this.#sessions.get(session.id)
    if (known?.session) throw new OptionError(`a live session '${session.id}' already exists`)
    // A reused id belongs to the newer session.
    this.#forget(session.id)
    const logged = new LoggedSession(this.#scope, session, note, (one) => this.#changed(one))
    this.#sessions.set(session.id, logged)
    this.#changed(logged)
    return logged
  }

  get(id: string): LoggedSession | undefined {
    return this.#sessions.get(id)
  }

  /** Returns the matching sessions, newest first. */
  list({ words = '', state, clean, wrong, since = 0 }: LogbookQuery = {}): SessionSummary[] {
    const wanted = words.trim()
    return Array.from(this.#sessions.values())
      .filter(({ summary }) => state === undefined || (summary.state === 'closed') === (state === 'closed'))
      .filter(({ summary }) => clean === undefined || summary.clean === clean)
      .filter(({ summary }) => wrong === undefined || wentWrong(summary) === wrong)
      .filter(({ summary }) => summary.addedAt >= since)
      .filter((session) => wanted === '' || session.matches(wanted))
      .map(({ summary }) => summary)
      .toReversed()
  }

  /** The number of sessions that are not closed. */
  get live(): number {
    return this.#sessions.size - this.#closed.size
  }

  /** Calls `watcher` with the summary of each session that changes. Returns an unsubscribe function. */
  watch(watcher: (summary: SessionSummary) => void): () => void {
    const own = (summary: SessionSummary): void => watcher(summary)
    this.#watchers.add(own)
    return () => void this.#watchers.delete(own)
  }

  #changed(session: LoggedSession): void {
    const { id, summary } = session
    // A newer session has taken its id.
    if (this.#sessions.get(id) !== session) return
    if (summary.state === 'closed') this.#ended(id)
    for (const watcher of this.#watchers) watcher(summary)
  }

  #ended(id: string): void {
    this.#closed.add(id)
    for (const oldest of this.#closed) {
      if (this.#closed.size <= this.#reports) return
      this.#forget(oldest)
    }
  }

  #forget(id: string): void {
    this.#closed.delete(id)
    this.#sessions.delete(id)
  }
}
