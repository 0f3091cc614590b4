import { formatSession, type CostReport, type SessionReport } from '../session/index.ts'
import { itemsOf } from './fleet/lost-report.ts'
import { limits } from './limits.ts'
import { latenciesOf } from './measures.ts'
import { eventsOfItems, eventsOfReport, type StoredReport } from './report-events.ts'
import type { CallQuery, CallRecord, CallSummary, Journal } from './journal/journal.ts'
import {
  culpritsOf,
  latencyFiguresOf,
  type CallCost,
  type SessionDetails,
  type SessionSummary,
} from './wire/index.ts'

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
    // Written by `outcomeOf`.
    ...(summary as Partial<SessionSummary> | undefined),
    id,
    agent,
    ...(from === undefined ? {} : { from }),
    state,
    addedAt: openedAt,
    ...(endedAt === undefined ? {} : { closedAt: endedAt }),
  }
}

/** What the list shows of a report. */
export function outcomeOf(report: SessionReport): Partial<SessionSummary> & CallSummary {
  const { reason, ended, by, clean, lived, took, closeTimeout, usage, errorCount, recordings, cost } = report
  const [culprit] = clean ? [] : culpritsOf(report)
  const failedTools = failedToolsOf(report)
  const latency = latencyFiguresOf(latenciesOf(report))
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
    ...(failedTools.length > 0 ? { failedTools } : {}),
    ...(latency ? { latency } : {}),
    ...(cost && isKnown(cost) ? { cost: totalOf(cost) } : {}),
  }
}

/** The names of the tools that failed. A tool that was cancelled or refused has not failed. */
function failedToolsOf({ transcript }: SessionReport): readonly string[] {
  const failed = transcript.flatMap((item) =>
    item.type === 'tool' && item.result?.failed === true && !item.result.stopped ? [item.name] : [],
  )
  return [...new Set(failed)].slice(0, limits.failedTools)
}

/** Whether any model has a price: otherwise the total is 0, which is not what the call cost. */
const isKnown = ({ models, unpriced }: CostReport): boolean =>
  unpriced.length === 0 || Object.keys(models).length > 0

function totalOf({ total, unpriced, currency }: CostReport): CallCost {
  return {
    total,
    ...(currency === undefined ? {} : { currency }),
    ...(unpriced.length > 0 ? { unpriced } : {}),
  }
}
