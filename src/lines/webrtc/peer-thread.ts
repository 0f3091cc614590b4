import type { Worker } from 'node:worker_threads'
import { startThread } from '../../providers/start-thread.ts'
import type { Logger } from '../../parts/index.ts'
import type { Clock } from '../../scope/index.ts'
import { endThread } from './end-thread.ts'
import { ThreadDiedError } from './errors.ts'
import { limits } from './limits.ts'
import type { FromThread, NetworkSettings, ToThread } from './thread-messages.ts'
import { WebRtcPeer } from './webrtc-peer.ts'

export interface PeerThreadOptions {
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * A worker thread that has the connections of several calls. It ends when its last connection has ended, which also ends the timers
 * that werift leaves behind. To end the thread is to cut all of its connections.
 */
export class PeerThread {
  readonly #options: PeerThreadOptions
  readonly #worker: Worker
  readonly #peers = new Map<number, WebRtcPeer>()
  /** Resolves when the thread has ended. */
  readonly exited: Promise<void>
  #lastPeer = 0
  #warnings = 0
  #hasEnded = false

  constructor(options: PeerThreadOptions) {
    this.#options = options
    this.#worker = startThread(import.meta.url, 'webrtc-thread', undefined)
    this.#worker.on('message', (message: FromThread) => this.#handle(message))
    this.#worker.on('messageerror', (error) => this.#died(error.message))
    this.#worker.on('error', (error) => this.#died(error instanceof Error ? error.message : String(error)))
    this.exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#died(`it ended with code ${code}`)
        resolve()
      })
    })
  }

  get hasRoom(): boolean {
    return !this.#hasEnded && this.#peers.size < limits.perThread
  }

  /** Begins a connection. */
  connect(offer: string, network: NetworkSettings, connected: () => void): WebRtcPeer {
    const number = ++this.#lastPeer
    const { clock, logger } = this.#options
    const peer = new WebRtcPeer({
      clock,
      logger,
      request: (request, transfer) => this.#post({ ...request, peer: number }, transfer),
      connected,
      cut: () => this.#cut(),
      hangs: () => this.kill('it does not answer'),
    })
    this.#peers.set(number, peer)
    this.#post({ type: 'open', peer: number, offer, network })
    return peer
  }

  /** Ends the thread now. Its calls are lost, unless they were cut before. */
  kill(why: string): void {
    if (this.#hasEnded) return
    this.#died(why)
    endThread(this.#worker, this.#options.clock)
  }

  #post(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    if (!this.#hasEnded) this.#worker.postMessage(message, [...transfer])
  }

  /** A client could send any number of packets that cannot be handled. */
  #warn(error: string): void {
    if (this.#warnings++ < limits.warnings)
      this.#options.logger.warn({ error }, 'a WebRTC packet could not be handled')
  }

  #handle(message: FromThread): void {
    if (message.type === 'trouble') return this.#warn(message.message)
    const peer = this.#peers.get(message.peer)
    if (!peer) return undefined
    if (message.type === 'gone') this.#peers.delete(message.peer)
    peer.handle(message)
    if (this.#peers.size === 0) this.kill('it has no calls')
    return undefined
  }

  /** A connection was cut. If no call needs the thread any more, there is nothing to wait for. */
  #cut(): void {
    if ([...this.#peers.values()].every(({ isCut }) => isCut)) this.kill('its calls were cut')
  }

  #died(why: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const peers = [...this.#peers.values()]
    this.#peers.clear()
    // Never from inside a call to a peer.
    queueMicrotask(() => {
      for (const peer of peers) peer.threadDied(new ThreadDiedError(why))
    })
  }
}
