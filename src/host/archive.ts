import { formatSession, type SessionReport } from '../session/index.ts'
import { itemsOf } from './fleet/lost-report.ts'
import { eventsOfItems, eventsOfReport, type StoredReport } from './report-events.ts'
import type { CallQuery, CallRecord, Journal } from './journal/journal.ts'
import { culpritsOf, type SessionDetails, type SessionSummary } from './wire/index.ts'

/** The calls in the journal, as the page shows them: those of other processes, and those that ended long ago. */
export class Archive {
  readonly #journal: Pick<Journal, 'find' | 'list' | 'report' | 'entries'>

  readonly #watchers = new Set<() => void>()

  constructor(journal: Pick<Journal, 'find' | 'list' | 'report' | 'entries'>) {
    this.#journal = journal
  }

  /** Calls `watcher` when calls of other processes have begun or ended. Returns an unsubscribe function. */
  watch(watcher: () => void): () => void {
    const own = (): void => watcher()
    this.#watchers.add(own)
    return () => void this.#watchers.delete(own)
  }

  /** Calls of other processes have begun or ended. */
  changed(): void {
    for (const watcher of this.#watchers) watcher()
  }

  async list(query: CallQuery): Promise<SessionSummary[]> {
    return (await this.#journal.list(query)).map(summaryOf)
  }

  async details(id: string): Promise<SessionDetails | undefined> {
    const record = await this.#journal.find(id)
    if (!record) return undefined
    const report: StoredReport | undefined =
      record.state === 'closed' ? await this.#journal.report(id) : undefined
    if (!report) {
      const said = eventsOfItems(itemsOf({ entries: await this.#journal.entries(id) }))
      return { summary: summaryOf(record), events: said }
    }
    const { timeline: _, ...plain } = report
    const summary = { ...summaryOf(record), ...outcomeOf(report) }
    return { summary, events: eventsOfReport(report), report: plain, text: formatSession(plain) }
  }
}

function summaryOf(record: CallRecord): SessionSummary {
  const { id, agent, from, state, openedAt, endedAt, summary } = record
  return {
    turns: 0,
    errors: 0,
    ...summary,
    id,
    agent,
    ...(from === undefined ? {} : { from }),
    state,
    addedAt: openedAt,
    ...(endedAt === undefined ? {} : { closedAt: endedAt }),
  }
}

/** What the list shows of a report. */
export function outcomeOf(report: SessionReport): Partial<SessionSummary> {
  const { reason, ended, by, clean, lived, took, closeTimeout, usage, errorCount, recordings } = report
  const [culprit] = clean ? [] : culpritsOf(report)
  return {
    turns: usage.turns,
    errors: errorCount,
    reason,
    ended,
    ...(by === undefined ? {} : { by }),
    clean,
    lived,
    took,
    closeTimeout,
    ...(culprit ? { culprit } : {}),
    ...(recordings?.length ? { recordings: recordings.length } : {}),
  }
}
