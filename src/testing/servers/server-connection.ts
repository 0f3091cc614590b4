import { noop, type Clock, type DialRequest, type Timer } from '../../scope/index.ts'
import type { Peer } from '../sim-network.ts'
import { inTheWorld } from '../world-time.ts'
import { Play, type Acts } from './play.ts'

/** One connection, as a vendor's server sees it. What the server does for it ends with it. */
export class ServerConnection {
  readonly request: DialRequest
  readonly clock: Clock
  readonly #peer: Peer
  readonly #timers = new Set<Timer>()
  readonly #plays = new Set<Play>()
  #open = true
  #stalled = false

  constructor(peer: Peer, clock: Clock) {
    this.request = peer.request
    this.clock = clock
    this.#peer = peer
  }

  /** False once either side has ended it, as far as the server can know. */
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

  /** Breaks it: the client is told nothing. */
  drop(): void {
    if (!this.#open) return
    this.#peer.drop()
    this.ended()
  }

  /** From here on the server says nothing more, and stays connected. */
  stall(): void {
    this.#stalled = true
  }

  /** The client has gone, or the server has ended it. */
  ended(): void {
    this.#open = false
    for (const timer of this.#timers) timer.clear()
    for (const play of this.#plays) play.stop()
    this.#timers.clear()
    this.#plays.clear()
  }

  /** Calls back once, unless the connection ends before. */
  after(ms: number, name: string, callback: () => void): Timer {
    if (!this.#open) return { clear: noop }
    const timer = inTheWorld(this.clock, ms, name, () => {
      this.#timers.delete(timer)
      callback()
    })
    this.#timers.add(timer)
    return timer
  }

  /** Acts something out, unless the connection has ended; `stop()` ends it early. */
  play(name: string, acts: Acts): Play | undefined {
    if (!this.#open) return undefined
    for (const each of this.#plays) if (each.over) this.#plays.delete(each)
    const play = new Play(this.clock, name, acts)
    this.#plays.add(play)
    return play
  }
}
