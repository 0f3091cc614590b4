import type { Logger } from '../../parts/index.ts'
import { noop, type Clock } from '../../scope/index.ts'
import { PeerThread } from './peer-thread.ts'
import type { NetworkSettings } from './thread-messages.ts'
import type { WebRtcPeer } from './webrtc-peer.ts'

export interface PeerThreadsOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** A thread has ended. */
  readonly changed: () => void
}

/** The threads that have the connections of all calls. A thread starts with its first call, and ends after its last one. */
export class PeerThreads {
  readonly #options: PeerThreadsOptions
  readonly #threads = new Set<PeerThread>()

  constructor(options: PeerThreadsOptions) {
    this.#options = options
  }

  /** How many threads run. */
  get size(): number {
    return this.#threads.size
  }

  /** Begins a connection, in the thread that has been there longest and has room. */
  connect(offer: string, network: NetworkSettings, connected: () => void): WebRtcPeer {
    const thread = [...this.#threads].find(({ hasRoom }) => hasRoom) ?? this.#start()
    return thread.connect(offer, network, connected)
  }

  /** Ends all threads, and with them what is left of their connections. */
  async close(): Promise<void> {
    const exits = Array.from(this.#threads, ({ exited }) => exited)
    this.abort()
    await Promise.all(exits)
  }

  abort(): void {
    for (const thread of this.#threads) thread.kill('the server closes')
  }

  #start(): PeerThread {
    const thread = new PeerThread(this.#options)
    this.#threads.add(thread)
    thread.exited
      .then(() => {
        this.#threads.delete(thread)
        return this.#options.changed()
      })
      .catch(noop)
    return thread
  }
}
