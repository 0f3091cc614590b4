import { noop, type Clock, type DialRequest, type Timer } from '../../scope/index.ts'
import type { Peer } from '../sim-network.ts'
import { outsideTimer } from '../outside-timer.ts'
import { TimelineRun, type Timeline } from './timeline-run.ts'

/** One connection of a vendor's server. Its timers and timelines end with it. */
export class ServerConnection {
  readonly request: DialRequest
  readonly clock: Clock
  readonly #peer: Peer
  readonly #timers = new Set<Timer>()
  readonly #runs = new Set<TimelineRun>()
  #open = true
  #stalled = false

  constructor(peer: Peer, clock: Clock) {
    this.request = peer.request
    this.clock = clock
    this.#peer = peer
  }

  /** Whether neither side has ended the connection, as far as the server knows. */
  get open(): boolean {
    return this.#open
  }

  send(data: string | Uint8Array): void {
    if (this.#open && !this.#stalled) this.#peer.send(data)
  }

  close(code: number, reason: string): void {
    if (!this.#open) return
    this.#peer.close(code, reason)
    this.ended()
  }

  /** Breaks the connection without a close frame. */
  drop(): void {
    if (!this.#open) return
    this.#peer.drop()
    this.ended()
  }

  /** Sends nothing more, but stays connected. */
  stall(): void {
    this.#stalled = true
  }

  /** Either side has ended the connection. */
  ended(): void {
    this.#open = false
    for (const timer of this.#timers) timer.clear()
    for (const run of this.#runs) run.stop()
    this.#timers.clear()
    this.#runs.clear()
  }

  /** Calls back once, unless the connection ends first. */
  after(ms: number, name: string, callback: () => void): Timer {
    if (!this.#open) return { clear: noop }
    const timer = outsideTimer(this.clock, ms, name, () => {
      this.#timers.delete(timer)
      callback()
    })
    this.#timers.add(timer)
    return timer
  }

  /** Runs a timeline for as long as the connection is open. */
  run(name: string, timeline: Timeline): TimelineRun | undefined {
    if (!this.#open) return undefined
    for (const each of this.#runs) if (each.ended) this.#runs.delete(each)
    const run = new TimelineRun(this.clock, name, timeline)
    this.#runs.add(run)
    return run
  }
}
