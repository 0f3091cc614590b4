import type { Change, Inspection, Scope, Timer } from '../scope/index.ts'
import type { Session, SessionReport } from '../session/index.ts'
import { clip, eventJson, eventNames } from './event-json.ts'
import { limits } from './limits.ts'
import { StatusNews, worthTelling } from './tree-news.ts'
import type { LiveBatch, LiveEvent, LiveMessage, LiveSnapshot, Saying } from './wire/index.ts'

/** What a live view wants to know of its session. */
export interface LiveSource {
  readonly session: Session
  /** The words on their way to the caller. */
  saying(): Saying | undefined
  snapshot(): Omit<LiveSnapshot, 'type' | 'now' | 'tree'>
}

type Watcher = (message: LiveMessage) => void

/**
 * A session as it lives, for those who watch: a snapshot for each, then batches for all, then its end. It listens to the
 * session and opens its tree only while somebody watches.
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

  /** Tells the watcher how it is, at once, and what happens from then on. Returns the way to stop. */
  watch(watcher: Watcher): () => void {
    const watch = (this.#watch ??= new Watch(this.#scope, this.#source, (message) => this.#tell(message)))
    // Those who are here already must have heard what the snapshot has in it.
    watch.flush()
    watcher(watch.snapshot())
    this.#watchers.add(watcher)
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size === 0) this.#stop()
    }
  }

  /** The session is closed: the last message, after which nobody watches. */
  closed(message: LiveMessage & { readonly type: 'closed'; readonly report: SessionReport }): void {
    this.#watch?.flush()
    this.#tell(message)
    this.#watchers.clear()
    this.#stop()
  }

  #stop(): void {
    this.#watch?.stop()
    this.#watch = undefined
  }

  #tell(message: LiveMessage): void {
    for (const watcher of this.#watchers) watcher(message)
  }
}

/** One stretch of time during which somebody watches. */
class Watch {
  readonly #scope: Scope<string>
  readonly #source: LiveSource
  readonly #tell: (batch: LiveBatch) => void
  readonly #inspection: Inspection
  readonly #statuses = new StatusNews()
  readonly #off: (() => void)[]
  readonly #looking: Timer
  #events: LiveEvent[] = []
  #changes: Change[] = []
  #said = ''
  #timer: Timer | undefined
  #flushedAt = -Infinity
  #stopped = false

  constructor(scope: Scope<string>, source: LiveSource, tell: (batch: LiveBatch) => void) {
    const { session } = source
    this.#scope = scope
    this.#source = source
    this.#tell = tell
    this.#inspection = session.inspect((change) => this.#changed(change))
    this.#off = eventNames.map((name) => this.#listen(name))
    this.#looking = scope.every(limits.look, `look at session ${session.id}`, () => this.flush())
  }

  snapshot(): LiveSnapshot {
    const { tree } = this.#inspection
    // What the snapshot says need not be said again.
    this.#statuses.next(tree)
    return { type: 'snapshot', now: this.#scope.clock.now(), ...this.#source.snapshot(), tree }
  }

  /** Tells what there is to tell. */
  flush(): void {
    this.#timer?.clear()
    this.#timer = undefined
    const { tree } = this.#inspection
    const events = this.#events
    const changes = worthTelling(this.#changes)
    const statuses = this.#statuses.next(tree)
    const saying = this.#saying()
    this.#events = []
    this.#changes = []
    if (events.length + changes.length + statuses.length === 0 && !saying) return
    const now = this.#scope.clock.now()
    this.#flushedAt = now
    this.#tell({ type: 'batch', now, events, changes, statuses, ...(saying ? { saying } : {}) })
  }

  stop(): void {
    this.#stopped = true
    this.#inspection.stop()
    for (const off of this.#off) off()
    this.#looking.clear()
    this.#timer?.clear()
  }

  #listen(name: LiveEvent['type']): () => void {
    // Each name has its own data: what fits the name fits its function.
    const json = eventJson[name] as (data: unknown) => object
    return this.#source.session.on(name, (data) => {
      const event = { at: this.#scope.clock.date(), ...json(data) } as LiveEvent
      // Of what the user seems to be saying, only the last guess is news.
      if (name === 'hearing' && this.#events.at(-1)?.type === 'hearing') this.#events.pop()
      this.#events.push(event)
      if (this.#events.length > limits.batchEvents) this.#events.shift()
      this.#soon()
    })
  }

  #changed(change: Change): void {
    this.#changes.push(change)
    this.#soon()
  }

  /** At once if nothing was told for a while; else when it is time again. */
  #soon(): void {
    if (this.#timer || this.#stopped || this.#scope.state !== 'live') return
    const wait = Math.max(0, this.#flushedAt + limits.batch - this.#scope.clock.now())
    this.#timer = this.#scope.after(wait, `news of session ${this.#source.session.id}`, () => this.flush())
  }

  #saying(): Saying | undefined {
    const saying = this.#source.saying()
    if (!saying || saying.text === this.#said) return undefined
    this.#said = saying.text
    return { speech: saying.speech, text: clip(saying.text) }
  }
}
