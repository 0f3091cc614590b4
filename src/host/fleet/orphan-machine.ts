import { advance, changeTimers, type TimerCommand, type TimerEvent } from '../../scope/index.ts'
import { DueQueue } from './due-queue.ts'

export type OrphanTimer = 'next'

/** Calls are named by id and fence: a call that is orphaned again, after another process had it, is another orphan. */
export type OrphanEvent = { readonly at: number } & (
  | {
      /** Calls have lost their process. Repeating it changes nothing. */
      readonly type: 'orphaned'
      readonly calls: readonly string[]
      /** How long the callers may take to come back, in milliseconds. */
      readonly wait: number
    }
  /** The call has a report, or belongs to another process. */
  | { readonly type: 'closed'; readonly call: string }
  /** The journal could not write the reports. */
  | { readonly type: 'failed'; readonly calls: readonly string[] }
  /** All calls of this host belong to others now. */
  | { readonly type: 'let-go' }
  | TimerEvent<OrphanTimer>
)

export type OrphanCommand =
  | TimerCommand<OrphanTimer>
  /** Write the reports, and hang up at the carrier. `closed` or `failed` must follow for each call. */
  | { readonly type: 'close'; readonly calls: readonly string[] }

export interface OrphanSettings {
  /** How many calls are closed at once. */
  readonly atOnce: number
  /** How long to wait before a report is written again. */
  readonly retry: number
}

interface State {
  now: number
  timers: Partial<Record<OrphanTimer, number | undefined>>
  /** All calls that have no report yet. Each is either in `waiting` or in `closing`. */
  readonly known: Set<string>
  readonly waiting: DueQueue
  readonly closing: Set<string>
}

/**
 * The calls of a host that have lost their process. Each waits for its caller to come back, to any process; when its time is
 * up, it is closed. A pure machine. It never learns that a caller came back: the journal refuses the report then.
 */
export class OrphanMachine {
  readonly #settings: OrphanSettings
  readonly #state: State = {
    now: 0,
    timers: {},
    known: new Set(),
    waiting: new DueQueue(),
    closing: new Set(),
  }

  constructor(settings: OrphanSettings) {
    this.#settings = settings
  }

  /** Calls that have no report yet. */
  get size(): number {
    return this.#state.known.size
  }

  handle(event: OrphanEvent): OrphanCommand[] {
    const state = this.#state
    if (!advance(state, event)) return []
    this.#react(event)
    const commands = this.#due()
    return [...commands, ...changeTimers(state, this.#wanted())]
  }

  #react(event: OrphanEvent): void {
    const { known, waiting, closing, now } = this.#state
    switch (event.type) {
      case 'orphaned':
        for (const call of event.calls) {
          if (known.has(call)) continue
          known.add(call)
          waiting.add(call, now + event.wait)
        }
        return
      case 'closed':
        if (closing.delete(event.call)) known.delete(event.call)
        return
      case 'failed':
        for (const call of event.calls)
          if (closing.delete(call)) waiting.add(call, now + this.#settings.retry)
        return
      case 'let-go':
        known.clear()
        waiting.clear()
        closing.clear()
        return
      case 'timer':
    }
  }

  #due(): OrphanCommand[] {
    const { waiting, closing, now } = this.#state
    const calls = waiting.take(now, this.#settings.atOnce - closing.size)
    for (const call of calls) closing.add(call)
    return calls.length > 0 ? [{ type: 'close', calls }] : []
  }

  #wanted(): Map<OrphanTimer, number> {
    const { waiting, closing } = this.#state
    if (waiting.next === undefined || closing.size >= this.#settings.atOnce) return new Map()
    return new Map([['next', waiting.next]])
  }
}
