import { clip as clipTo, type Scope } from '../scope/index.ts'
import {
  formatSession,
  type HistoryItem,
  type Session,
  type SessionReport,
  type Speech,
  type TurnLatency,
} from '../session/index.ts'
import { outcomeOf } from './archive.ts'
import { clip, eventJson, eventNames, type SessionEventName } from './event-json.ts'
import { limits } from './limits.ts'
import { LiveView } from './live-view.ts'
import { latenciesOf, spentOf } from './measures.ts'
import { eventsOfItems } from './report-events.ts'
import { Timeline } from './timeline.ts'
import {
  type LiveEvent,
  type LiveMessage,
  type LiveSnapshot,
  type Saying,
  type SessionDetails,
  type SessionSummary,
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
  readonly #timeline = new Timeline()
  #session: Session | undefined
  #live: LiveView | undefined
  #summary: SessionSummary
  #report: SessionReport | undefined
  #speech: { readonly speech: Speech; readonly at: number } | undefined

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
    for (const event of eventsOfItems(session.history.items)) this.#timeline.add(event)
    this.#listen(session)
    for (const name of eventNames) this.#note(session, name)
  }

  get summary(): SessionSummary {
    return this.#summary
  }

  /** The session, until it is closed. */
  get session(): Session | undefined {
    return this.#session
  }

  /** What has happened in it, in order. */
  get events(): readonly LiveEvent[] {
    return this.#timeline.events
  }

  details(): SessionDetails {
    const { summary, events } = this
    const report = this.#report
    if (!report) return { summary, events }
    const faults = summary.faults ? `\nfaults that were on: ${summary.faults.join(', ')}` : ''
    return { summary, events, report, text: formatSession(report) + faults }
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
      timeline: this.#timeline,
      saying: () => this.#saying(),
      spent: () => spentOf(session),
      snapshot: () => this.#snapshot(),
    })
    return this.#live.watch(watcher)
  }

  /** Answers a tool call that waits for approval. False if there is none with this id. */
  approve(id: string, approved: boolean): boolean {
    if (!this.#session?.approve(id, approved)) return false
    this.#timeline.add({ at: this.#scope.clock.date(), type: 'approved', id, approved })
    return true
  }

  /** A fault was switched on or off, or was on when the call began. */
  fault(name: string, on: boolean): void {
    if (!this.#session) return
    this.#timeline.add({ at: this.#scope.clock.date(), type: 'fault', name, on })
    const { faults = [] } = this.#summary
    if (on && !faults.includes(name)) this.#update({ faults: [...faults, name] })
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

  #note(session: Session, name: SessionEventName): void {
    // TypeScript cannot see that the data of an event fits the function of the same name.
    const json = eventJson[name] as (data: unknown) => object
    session.on(name, (data) => {
      this.#timeline.add({ at: this.#scope.clock.date(), ...json(data) } as LiveEvent)
    })
  }

  #listen(session: Session): void {
    session.on('state', ({ state }) => {
      // `closed` is reported together with the report.
      if (state !== 'closed') this.#update({ state })
    })
    session.on('user', ({ text }) => {
      const { turns } = this.#summary
      this.#update({ turns: turns + 1, ...(turns === 0 && text !== '' ? { words: shortened(text) } : {}) })
    })
    session.on('error', () => this.#update({ errors: this.#summary.errors + 1 }))
    session.on('latency', ({ ms, stages, heard, by }) => {
      this.#latencies.push({ ms, stages, heard, by })
      if (this.#latencies.length > limits.latencies) this.#latencies.shift()
    })
    session.on('speaking', ({ speech }) => {
      this.#speech = { speech, at: this.#scope.clock.date() }
    })
    session.on('spoken', ({ speech, outcome: { heard } }) => {
      if (this.#speech?.speech === speech) this.#speech = undefined
      if (this.#summary.words === undefined && heard !== '') this.#update({ words: shortened(heard) })
    })
    session.on('closed', (report) => this.#closed(report))
  }

  #update(changes: Partial<SessionSummary>): void {
    this.#summary = { ...this.#summary, ...changes }
    this.#changed(this)
  }

  #closed(report: SessionReport): void {
    const outcome = outcomeOf(report)
    this.#report = report
    this.#session = undefined
    this.#speech = undefined
    this.#update({
      state: 'closed',
      closedAt: this.#scope.clock.date(),
      ...outcome,
      turns: Math.max(this.#summary.turns, report.usage.turns),
      errors: Math.max(this.#summary.errors, report.errorCount),
    })
    this.#live?.closed({ type: 'closed', summary: this.#summary, report })
    this.#live = undefined
  }

  #snapshot(): Omit<LiveSnapshot, 'type' | 'now' | 'tree'> {
    const saying = this.#saying()
    return {
      summary: this.#summary,
      events: this.events,
      ...(saying ? { saying } : {}),
      spent: spentOf(this.#report ?? this.#session!),
      latencies: this.#report ? latenciesOf(this.#report) : [...this.#latencies],
    }
  }

  #saying(): Saying | undefined {
    const { speech, at } = this.#speech ?? {}
    return speech && at !== undefined ? { at, speech: speech.id, text: clip(speech.text) } : undefined
  }
}

function textOf(item: HistoryItem): string {
  if (item.type === 'message') return item.text
  if (item.type === 'handoff') return item.to
  if (item.type === 'keys') return item.keys
  return item.name
}

const shortened = (text: string): string => clipTo(text, limits.firstWords)
