import type { Scope } from '../scope/index.ts'
import {
  formatSession,
  type HistoryItem,
  type Session,
  type SessionReport,
  type Speech,
  type TurnLatency,
} from '../session/index.ts'
import { clip } from './event-json.ts'
import { limits } from './limits.ts'
import { LiveView } from './live-view.ts'
import {
  culpritsOf,
  type LiveMessage,
  type LiveSnapshot,
  type Saying,
  type SessionDetails,
  type SessionSummary,
  type Spent,
} from './wire/index.ts'

/** Additional information about a session. */
export interface SessionNote {
  /** The agent that answers. */
  readonly agent?: string
  /** Where the call came from: `browser`, a phone number. */
  readonly from?: string
}

/** A session in the logbook: the live session, and then its report. It does not reference a closed session. */
export class LoggedSession {
  readonly id: string
  readonly #scope: Scope<string>
  readonly #changed: (session: LoggedSession) => void
  readonly #latencies: TurnLatency[] = []
  #session: Session | undefined
  #live: LiveView | undefined
  #summary: SessionSummary
  #report: SessionReport | undefined
  #speech: Speech | undefined

  constructor(
    scope: Scope<string>,
    session: Session,
    note: SessionNote,
    changed: (session: LoggedSession) => void,
  ) {
    const { id, state } = session
    this.id = id
    this.#scope = scope
    this.#changed = changed
    this.#session = session
    this.#summary = { id, ...note, state, addedAt: scope.clock.date(), turns: 0, errors: 0 }
    this.#listen(session)
  }

  get summary(): SessionSummary {
    return this.#summary
  }

  /** The session, until it is closed. */
  get session(): Session | undefined {
    return this.#session
  }

  details(): SessionDetails {
    const { summary } = this
    const report = this.#report
    return { summary, ...(report ? { report, text: formatSession(report) } : {}) }
  }

  /** Sends the watcher a snapshot, then batches, then the end. Returns an unsubscribe function. */
  watch(watcher: (message: LiveMessage) => void): () => void {
    const session = this.#session
    if (!session) {
      watcher({ type: 'snapshot', now: this.#scope.clock.now(), ...this.#snapshot() })
      watcher({ type: 'closed', summary: this.#summary, report: this.#report! })
      return () => {}
    }
    this.#live ??= new LiveView(this.#scope, {
      session,
      saying: () => this.#saying(),
      spent: () => spentOf(session),
      snapshot: () => this.#snapshot(),
    })
    return this.#live.watch(watcher)
  }

  /** Whether a search matches its id, agent, caller, close reason, culprit or transcript. */
  matches(words: string): boolean {
    const wanted = words.toLowerCase()
    const { id, agent, from, reason, culprit } = this.#summary
    const has = (text: string | undefined): boolean => text?.toLowerCase().includes(wanted) ?? false
    return [id, agent, from, reason, culprit?.name].some(has) || this.#items.some((item) => has(textOf(item)))
  }

  get #items(): readonly HistoryItem[] {
    return this.#report?.transcript ?? this.#session?.history.items ?? []
  }

  /** Listens to rare events only. The live view listens to frequent ones, while there are watchers. */
  #listen(session: Session): void {
    session.on('state', ({ state }) => {
      // `closed` is reported together with the report.
      if (state !== 'closed') this.#update({ state })
    })
    session.on('user', () => this.#update({ turns: this.#summary.turns + 1 }))
    session.on('error', () => this.#update({ errors: this.#summary.errors + 1 }))
    session.on('latency', ({ ms, stages, heard, by }) => {
      this.#latencies.push({ ms, stages, heard, by })
      if (this.#latencies.length > limits.latencies) this.#latencies.shift()
    })
    session.on('speaking', ({ speech }) => {
      this.#speech = speech
    })
    session.on('spoken', ({ speech }) => {
      if (this.#speech === speech) this.#speech = undefined
    })
    session.on('closed', (report) => this.#closed(report))
  }

  #update(changes: Partial<SessionSummary>): void {
    this.#summary = { ...this.#summary, ...changes }
    this.#changed(this)
  }

  #closed(report: SessionReport): void {
    const { reason, by, clean, lived, took, closeTimeout, usage } = report
    const [culprit] = clean ? [] : culpritsOf(report)
    this.#report = report
    this.#session = undefined
    this.#speech = undefined
    this.#update({
      state: 'closed',
      closedAt: this.#scope.clock.date(),
      turns: Math.max(this.#summary.turns, usage.turns),
      reason,
      ...(by === undefined ? {} : { by }),
      clean,
      lived,
      took,
      closeTimeout,
      ...(culprit ? { culprit } : {}),
    })
    this.#live?.closed({ type: 'closed', summary: this.#summary, report })
    this.#live = undefined
  }

  #snapshot(): Omit<LiveSnapshot, 'type' | 'now' | 'tree'> {
    const saying = this.#saying()
    return {
      summary: this.#summary,
      items: this.#items.slice(-limits.transcript).map(clipped),
      ...(saying ? { saying } : {}),
      spent: spentOf(this.#report ?? this.#session!),
      latencies: this.#report?.turns.map(({ latency: ms, stages, heard, by }) => ({
        ms,
        stages,
        heard,
        by,
      })) ?? [...this.#latencies],
    }
  }

  #saying(): Saying | undefined {
    return this.#speech && { speech: this.#speech.id, text: clip(this.#speech.text) }
  }
}

/** What a session, or a closed one by its report, has used and cost. */
export function spentOf({ usage, cost }: Pick<Session, 'usage' | 'cost'> | SessionReport): Spent {
  return { usage, ...(cost ? { cost } : {}) }
}

function textOf(item: HistoryItem): string {
  if (item.type === 'message') return item.text
  if (item.type === 'handoff') return item.to
  if (item.type === 'keys') return item.keys
  return item.name
}

function clipped(item: HistoryItem): HistoryItem {
  if (item.type === 'message') return { ...item, text: clip(item.text) }
  if (item.type === 'handoff' || item.type === 'keys') return item
  const { result } = item
  const output = result ? { result: { ...result, output: clip(result.output) } } : {}
  return { ...item, input: clip(item.input), ...output }
}
