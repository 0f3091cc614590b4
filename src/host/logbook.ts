import { OptionError, type Scope } from '../scope/index.ts'
import type { Session } from '../session/index.ts'
import { limits } from './limits.ts'
import { LoggedSession, type SessionNote } from './logged-session.ts'
import type { SessionSummary } from './wire/index.ts'

export interface LogbookOptions {
  /** Reports that are kept, the newest: 200 unless set. */
  readonly reports?: number
}

export interface LogbookQuery {
  /** Words that occur in the session: its id, agent, caller, reason, transcript. */
  readonly words?: string
  /** `live` is all that is not closed. */
  readonly state?: 'live' | 'closed'
  readonly clean?: boolean
}

/**
 * The sessions of this process that live, and the reports of the last ones that have ended.
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
  /** In the order in which they came. */
  readonly #sessions = new Map<string, LoggedSession>()
  /** Ids of those that are closed, in the order in which they ended. */
  readonly #closed = new Set<string>()
  readonly #watchers = new Set<(summary: SessionSummary) => void>()

  /** The scope's clock is the one that times are told by. */
  constructor(scope: Scope<string>, { reports = limits.reports }: LogbookOptions = {}) {
    if (!Number.isSafeInteger(reports) || reports < 0)
      throw new OptionError(`reports must be a whole number, 0 or more; it is ${reports}`)
    this.#scope = scope
    this.#reports = reports
  }

  /** Follows a session from now on. Add it before it is started. */
  add(session: Session, note: SessionNote = {}): LoggedSession {
    if (session.state === 'closed') throw new OptionError(`session '${session.id}' is closed already`)
    const known = this.#sessions.get(session.id)
    if (known?.session) throw new OptionError(`there is a live session '${session.id}' already`)
    // An id that is used again is the newer session's.
    this.#forget(session.id)
    const logged = new LoggedSession(this.#scope, session, note, (one) => this.#changed(one))
    this.#sessions.set(session.id, logged)
    this.#changed(logged)
    return logged
  }

  get(id: string): LoggedSession | undefined {
    return this.#sessions.get(id)
  }

  /** The sessions, the newest first. */
  list({ words = '', state, clean }: LogbookQuery = {}): SessionSummary[] {
    const wanted = words.trim()
    return Array.from(this.#sessions.values())
      .filter(({ summary }) => state === undefined || (summary.state === 'closed') === (state === 'closed'))
      .filter(({ summary }) => clean === undefined || summary.clean === clean)
      .filter((session) => wanted === '' || session.matches(wanted))
      .map(({ summary }) => summary)
      .toReversed()
  }

  /** How many are not closed. */
  get live(): number {
    return this.#sessions.size - this.#closed.size
  }

  /** Tells of every session that changes, in a line. Returns the way to stop. */
  watch(watcher: (summary: SessionSummary) => void): () => void {
    const own = (summary: SessionSummary): void => watcher(summary)
    this.#watchers.add(own)
    return () => void this.#watchers.delete(own)
  }

  #changed(session: LoggedSession): void {
    const { id, summary } = session
    // One whose id was taken by a newer session has nothing to say any more.
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
