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
  /** Called when a peer begins or ceases to wait. */
  readonly changed: () => void
}

/** Where streams wait until they have said which call they belong to. */
export class Lobby {
  readonly #options: LobbyOptions
  /** Peers, and the calls of their tickets. */
  readonly #waiting = new Map<Peer, string>()

  constructor(options: LobbyOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#waiting.size
  }

  /** The calls that streams wait for. */
  get calls(): ReadonlySet<string> {
    return new Set(this.#waiting.values())
  }

  /** Lets a peer wait that has a ticket for `call`. `started` is called when it has introduced itself, and takes the peer over. */
  enter(peer: Peer, call: string, started: (start: StartMessage) => void): void {
    const { scope, carrier, turnAway, changed } = this.#options
    const leave = (): void => {
      timer.clear()
      this.#waiting.delete(peer)
    }
    const left = (): void => {
      leave()
      changed()
    }
    const refuse = (): void => {
      left()
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
        started(message)
        // Not before: the call that has begun takes the place of its stream.
        return changed()
      },
      controlFrame: count,
      failed: left,
      left,
    }
    this.#waiting.set(peer, call)
    changed()
  }

  abort(): void {
    for (const peer of this.#waiting.keys()) peer.abort()
  }
}
