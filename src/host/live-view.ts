import type { Change, Inspection, Scope, Timer } from '../scope/index.ts'
import type { Session, SessionReport } from '../session/index.ts'
import { clip } from './event-json.ts'
import { limits } from './limits.ts'
import type { Timeline } from './timeline.ts'
import { StatusTracker, relevantChanges } from './tree-updates.ts'
import type { LiveBatch, LiveEvent, LiveMessage, LiveSnapshot, Saying, Spent } from './wire/index.ts'

/** The session of a live view. */
export interface LiveSource {
  readonly session: Session
  readonly timeline: Timeline
  /** The words that are being spoken. */
  saying(): Saying | undefined
  /** What the session has used and cost so far. */
  spent(): Spent
  snapshot(): Omit<LiveSnapshot, 'type' | 'now' | 'tree'>
}

type Watcher = (message: LiveMessage) => void

/**
 * A live session for its watchers: each gets a snapshot, then all get batches, then the end. It listens to the session
 * and inspects its tree only while there are watchers.
 */
export class LiveView {
  readonly #scope: Scope<string>
  readonly #source: LiveSource
  readonly #watchers = new Set<Watcher>()
  #watch: Watch | undefined

  constructor(scope: Scope<string>, source: LiveSource) {
    this.#scope = scope
    this.#source = source
  }

  /** Sends the watcher a snapshot at once, and then batches. Returns an unsubscribe function. */
  watch(watcher: Watcher): () => void {
    const watch = (this.#watch ??= new Watch(this.#scope, this.#source, (message) => this.#send(message)))
    // The other watchers must first get everything that this snapshot contains.
    watch.flush()
    watcher(watch.snapshot())
    this.#watchers.add(watcher)
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size === 0) this.#stop()
    }
  }

  /** Sends the last message and removes all watchers. */
  closed(message: LiveMessage & { readonly type: 'closed'; readonly report: SessionReport }): void {
    this.#watch?.flush()
    this.#send(message)
    this.#watchers.clear()
    this.#stop()
  }

  #stop(): void {
    this.#watch?.stop()
    this.#watch = undefined
  }

  #send(message: LiveMessage): void {
    for (const watcher of this.#watchers) watcher(message)
  }
}

/** Collects the changes of a session while there are watchers. */
class Watch {
  readonly #scope: Scope<string>
  readonly #source: LiveSource
  readonly #send: (batch: LiveBatch) => void
  readonly #inspection: Inspection
  readonly #statuses = new StatusTracker()
  readonly #unsubscribe: () => void
  readonly #statusTimer: Timer
  #events: LiveEvent[] = []
  #changes: Change[] = []
  #lastSaying = ''
  #lastSpent = ''
  #batchTimer: Timer | undefined
  #flushedAt = -Infinity
  #stopped = false

  constructor(scope: Scope<string>, source: LiveSource, send: (batch: LiveBatch) => void) {
    const { session } = source
    this.#scope = scope
    this.#source = source
    this.#send = send
    this.#inspection = session.inspect((change) => this.#changed(change))
    this.#unsubscribe = source.timeline.watch((event) => this.#happened(event))
    this.#statusTimer = scope.every(limits.statusCheck, `status of session ${session.id}`, () => this.flush())
  }

  snapshot(): LiveSnapshot {
    const { tree } = this.#inspection
    // The next batch must not repeat the statuses of the snapshot.
    this.#statuses.next(tree)
    this.#nextSpent()
    return { type: 'snapshot', now: this.#scope.clock.now(), ...this.#source.snapshot(), tree }
  }

  /** Sends everything that has changed. */
  flush(): void {
    this.#batchTimer?.clear()
    this.#batchTimer = undefined
    const { tree } = this.#inspection
    const events = this.#events
    const changes = relevantChanges(this.#changes)
    const statuses = this.#statuses.next(tree)
    const saying = this.#nextSaying()
    const spent = this.#nextSpent()
    this.#events = []
    this.#changes = []
    if (events.length + changes.length + statuses.length === 0 && !saying && !spent) return
    const now = this.#scope.clock.now()
    this.#flushedAt = now
    const closing = tree.closing && {
      closing: { askedAt: now - tree.closing.age, deadline: now + tree.closing.left },
    }
    const news = { ...(saying ? { saying } : {}), ...(spent ? { spent } : {}), ...closing }
    this.#send({ type: 'batch', now, events, changes, statuses, ...news })
  }

  stop(): void {
    this.#stopped = true
    this.#inspection.stop()
    this.#unsubscribe()
    this.#statusTimer.clear()
    this.#batchTimer?.clear()
  }

  #happened(event: LiveEvent): void {
    // Each interim transcript replaces the previous one.
    if (event.type === 'hearing' && this.#events.at(-1)?.type === 'hearing') this.#events.pop()
    this.#events.push(event)
    if (this.#events.length > limits.batchEvents) this.#events.shift()
    this.#flushSoon()
  }

  #changed(change: Change): void {
    this.#changes.push(change)
    this.#flushSoon()
  }

  /** Flushes now, or `limits.batch` after the last batch. */
  #flushSoon(): void {
    if (this.#batchTimer || this.#stopped || this.#scope.state !== 'live') return
    const wait = Math.max(0, this.#flushedAt + limits.batch - this.#scope.clock.now())
    this.#batchTimer = this.#scope.after(wait, `batch of session ${this.#source.session.id}`, () =>
      this.flush(),
    )
  }

  /** What the session has used and cost, if that has changed. */
  #nextSpent(): Spent | undefined {
    const spent = this.#source.spent()
    const text = JSON.stringify(spent)
    if (text === this.#lastSpent) return undefined
    this.#lastSpent = text
    return spent
  }

  /** The words being spoken, if they have changed. */
  #nextSaying(): Saying | undefined {
    const saying = this.#source.saying()
    if (!saying || saying.text === this.#lastSaying) return undefined
    this.#lastSaying = saying.text
    return { ...saying, text: clip(saying.text) }
  }
}
