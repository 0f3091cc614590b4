import type { Scope } from '../../scope/index.ts'
import type { Peer } from '../peer.ts'
import type { Carrier } from './carrier.ts'
import { limits } from './limits.ts'
import type { StartMessage } from './read-message.ts'

export interface LobbyOptions {
  readonly scope: Scope<string>
  readonly carrier: Carrier
  /** Takes over a peer that did not say which call it belongs to. */
  readonly turnAway: (peer: Peer) => void
}

/** Where streams wait until they have said which call they belong to. */
export class Lobby {
  readonly #options: LobbyOptions
  readonly #waiting = new Set<Peer>()

  constructor(options: LobbyOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Lets a peer wait. `started` is called when it has introduced itself, and takes the peer over. */
  enter(peer: Peer, started: (start: StartMessage) => void): void {
    const { scope, carrier, turnAway } = this.#options
    const leave = (): void => {
      timer.clear()
      this.#waiting.delete(peer)
    }
    const refuse = (): void => {
      leave()
      turnAway(peer)
    }
    const timer = scope.after(limits.introduction, 'a stream says which call it belongs to', refuse)
    // Carriers send one message before `start`. Everything but the introduction counts, including control frames.
    let patience: number = limits.opening
    const count = (): void => {
      patience--
      if (patience <= 0) refuse()
    }
    peer.owner = {
      message: (data) => {
        const message = typeof data === 'string' ? carrier.read(data) : undefined
        if (message?.type !== 'start') return count()
        leave()
        return started(message)
      },
      controlFrame: count,
      failed: leave,
      left: leave,
    }
    this.#waiting.add(peer)
  }

  abort(): void {
    for (const peer of this.#waiting) peer.abort()
  }
}
