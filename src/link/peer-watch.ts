import type { Clock, Timer } from '../scope/index.ts'
import { limits } from './limits.ts'

/** A connection, as its watch sees it. */
export interface PingableConnection {
  ping(): void
}

/** Called when the peer is connected but silent. Its last message arrived `silentFor` milliseconds ago. */
export type SilenceListener = (reason: string, silentFor: number) => void

/** The time limits of a watch, in milliseconds. */
export interface PeerWatchTiming {
  /** For the answer to a ping. */
  readonly pong: number
  /** For a message after `expectAnswer()`. */
  readonly answer: number
}

/**
 * Notices that the peer of the current connection is connected but silent (LK11). There are two kinds of silence:
 *
 *   nothing arrives ──▶ ping ──▶ no pong: the peer's host is dead, or the network between us
 *   expectAnswer() ────────────▶ no message: the host lives and answers pings, but its service does not
 *
 * One timer does both. It is not reset by each message: when it fires, it looks at the times noted here.
 */
export class PeerWatch {
  readonly #clock: Clock
  readonly #name: string
  readonly #timing: PeerWatchTiming
  readonly #silent: SilenceListener
  /** The connection that is watched. */
  #connection: PingableConnection | undefined
  /** When the last frame arrived, pings and pongs included. */
  #aliveAt = 0
  /** When the last message arrived, or the connection became the current one. */
  #messageAt = 0
  /** When a ping was sent that has not been answered. */
  #pingedAt: number | undefined
  /** Since when the peer owes a message. */
  #owedSince: number | undefined
  /** An answer was expected while there was no connection: the next one owes it. */
  #owedNext = false
  #timer: Timer | undefined

  constructor(clock: Clock, name: string, timing: PeerWatchTiming, silent: SilenceListener) {
    this.#clock = clock
    this.#name = `link '${name}': silence`
    this.#timing = timing
    this.#silent = silent
  }

  /** Watches a new connection. It owes what was expected while there was none. */
  start(connection: PingableConnection): void {
    this.#timer?.clear()
    const now = this.#clock.now()
    this.#connection = connection
    this.#aliveAt = this.#messageAt = now
    this.#pingedAt = undefined
    this.#owedSince = this.#owedNext ? now : undefined
    this.#owedNext = false
    this.#arm(now)
  }

  stop(): void {
    this.#connection = undefined
    this.#owedNext = false
    this.#timer?.clear()
    this.#timer = undefined
  }

  /** To be called for each ping and pong of the peer. */
  alive(): void {
    this.#aliveAt = this.#clock.now()
    this.#pingedAt = undefined
  }

  /** To be called for each message of the peer: any message counts as an answer. */
  message(): void {
    this.alive()
    this.#messageAt = this.#aliveAt
    this.#owedSince = undefined
  }

  /** The peer owes a message from now on. No-op if it owes one already. */
  expectAnswer(): void {
    if (!this.#connection) this.#owedNext = true
    else if (this.#owedSince === undefined) {
      const now = this.#clock.now()
      this.#owedSince = now
      this.#arm(now)
    }
  }

  expectNothing(): void {
    this.#owedSince = undefined
    this.#owedNext = false
  }

  /** When something has to be done: send a ping, or give up on the peer. */
  get #due(): number {
    const { pong, answer } = this.#timing
    const alive = this.#pingedAt === undefined ? this.#aliveAt + limits.quiet : this.#pingedAt + pong
    return this.#owedSince === undefined ? alive : Math.min(alive, this.#owedSince + answer)
  }

  #arm(now: number): void {
    this.#timer?.clear()
    this.#schedule(now, this.#due)
  }

  #schedule(now: number, due: number): void {
    this.#timer = this.#clock.after(Math.max(0, due - now), this.#name, () => this.#check(due))
  }

  #check(due: number): void {
    const now = this.#clock.now()
    // A blocked thread runs its timers before it reads its sockets: the answer may have arrived long ago.
    if (now - due > limits.lateTimer) return this.#schedule(now, now + limits.lateTimer)
    const { pong, answer } = this.#timing
    const silentFor = now - this.#messageAt
    if (this.#owedSince !== undefined && now >= this.#owedSince + answer)
      return this.#silent(`no answer within ${answer} ms`, silentFor)
    if (this.#pingedAt !== undefined && now >= this.#pingedAt + pong)
      return this.#silent(`no pong within ${pong} ms`, silentFor)
    if (this.#pingedAt === undefined && now >= this.#aliveAt + limits.quiet) {
      this.#pingedAt = now
      this.#connection?.ping()
    }
    this.#arm(now)
  }
}
