import { advance, changeTimers, type TimerCommand, type TimerEvent } from '../../scope/index.ts'

export type OrphanTimer = 'next'

export type OrphanEvent = { readonly at: number } &
  /** A call has lost its process. `wait`: how long its caller may take to come back, in milliseconds. */
  (
    | { readonly type: 'orphaned'; readonly call: string; readonly wait: number }
    /** The call has a report, or belongs to another process. */
    | { readonly type: 'closed'; readonly call: string }
    /** The journal could not write the report. */
    | { readonly type: 'failed'; readonly call: string }
    /** All calls of this host belong to others now. */
    | { readonly type: 'let-go' }
    | TimerEvent<OrphanTimer>
  )

export type OrphanCommand =
  | TimerCommand<OrphanTimer>
  /** Hang up at the carrier, and write the report. Answered by `closed` or `failed`. */
  | { readonly type: 'close'; readonly call: string }

export interface OrphanSettings {
  /** How many calls are closed at once. */
  readonly atOnce: number
  /** How long to wait before a report is written again. */
  readonly retry: number
}

interface State {
  now: number
  timers: Partial<Record<OrphanTimer, number | undefined>>
  /** When each orphan is to be closed. Those that are being closed are in `closing`. */
  readonly waiting: Map<string, number>
  readonly closing: Set<string>
}

/**
 * The calls of a host that have lost their process. Each waits for its caller to come back, to any process; when its time is
 * up, it is closed. A pure machine. It never learns that a caller came back: the journal refuses the report then.
 */
export class OrphanMachine {
  readonly #settings: OrphanSettings
  readonly #state: State = { now: 0, timers: {}, waiting: new Map(), closing: new Set() }

  constructor(settings: OrphanSettings) {
    this.#settings = settings
  }

  /** Calls that have no report yet. */
  get size(): number {
    return this.#state.waiting.size + this.#state.closing.size
  }

  handle(event: OrphanEvent): OrphanCommand[] {
    const state = this.#state
    if (!advance(state, event)) return []
    this.#react(event)
    const commands = this.#due()
    return [...commands, ...changeTimers(state, this.#wanted())]
  }

  #react(event: OrphanEvent): void {
    const { waiting, closing, now } = this.#state
    switch (event.type) {
      case 'orphaned':
        if (!closing.has(event.call)) waiting.set(event.call, now + event.wait)
        return
      case 'closed':
        waiting.delete(event.call)
        closing.delete(event.call)
        return
      case 'failed':
        if (closing.delete(event.call)) waiting.set(event.call, now + this.#settings.retry)
        return
      case 'let-go':
        waiting.clear()
        closing.clear()
        return
      case 'timer':
    }
  }

  #due(): OrphanCommand[] {
    const { waiting, closing, now } = this.#state
    const commands: OrphanCommand[] = []
    for (const [call, due] of waiting) {
      if (closing.size >= this.#settings.atOnce) break
      if (due > now) continue
      waiting.delete(call)
      closing.add(call)
      commands.push({ type: 'close', call })
    }
    return commands
  }

  #wanted(): Map<OrphanTimer, number> {
    const { waiting, closing } = this.#state
    if (waiting.size === 0 || closing.size >= this.#settings.atOnce) return new Map()
    return new Map([['next', Math.min(...waiting.values())]])
  }
}
