import { wsNetwork } from '../../link/index.ts'
import type { Logger } from '../../parts/index.ts'
import { bytesFromSamples, samplesFromBytes } from '../../audio/index.ts'
import { noop, origin, type Clock, type Live, type Timer } from '../../scope/index.ts'
import { deafOwner, type Peer, type PeerEnd, type PeerOwner } from '../peer.ts'
import { ConnectionEndedError, OfferInvalidError } from './errors.ts'
import { limits } from './limits.ts'
import type { FromThread, IceCandidate, ThreadRequest } from './thread-messages.ts'

export interface WebRtcPeerOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** Sends a request to the thread that has the connection. */
  readonly request: (request: ThreadRequest, transfer?: readonly ArrayBuffer[]) => void
  /** Messages and sound can be sent from now on. */
  readonly connected: () => void
  /** The connection was cut: nothing of its call needs the thread. */
  readonly cut: () => void
  /** The thread has not ended the connection in time. */
  readonly hangs: () => void
}

/**
 * A WebRTC connection, which a worker thread has. Texts are messages of its data channel, and bytes are sound: PCM16, 16 kHz from the
 * client and 24 kHz to it. It is registered with the sockets of the network, so that leak checks find it.
 */
export class WebRtcPeer implements Peer, Live {
  owner: PeerOwner = deafOwner(noop)
  readonly kind = 'socket'
  readonly name = 'webrtc client'
  readonly origin = origin()
  /** The answer to the offer. Rejects if the offer cannot be answered, or the connection ends before. */
  readonly answer: Promise<string>
  /** Resolves when the connection has ended. */
  readonly gone: Promise<void>
  /** Sound is kept by its sender until its time, and nothing waits for a client that does not read: it is cut off. */
  readonly buffered = 0
  delay = 0
  readonly #options: WebRtcPeerOptions
  #answered: (sdp: string) => void = noop
  #refused: (error: unknown) => void = noop
  #gone: () => void = noop
  #isCut = false
  #hasLeft = false
  #patience: Timer | undefined

  constructor(options: WebRtcPeerOptions) {
    this.#options = options
    this.answer = new Promise((resolve, reject) => {
      this.#answered = resolve
      this.#refused = reject
    })
    this.answer.catch(noop)
    this.gone = new Promise((resolve) => (this.#gone = resolve))
    wsNetwork.sockets.add(this)
  }

  /** Whether the connection was cut from this end. */
  get isCut(): boolean {
    return this.#isCut
  }

  send(data: string | Uint8Array): void {
    if (this.#isCut || this.#hasLeft) return
    if (typeof data === 'string') return this.#options.request({ type: 'text', text: data })
    const samples = samplesFromBytes(data)
    return this.#options.request({ type: 'sound', samples }, [samples.buffer])
  }

  add(candidates: readonly IceCandidate[]): void {
    if (!this.#isCut && !this.#hasLeft) this.#options.request({ type: 'candidates', candidates })
  }

  /** Does nothing: clients send pings by themselves. */
  ping(): void {}

  close(): void {
    if (this.#isCut || this.#hasLeft || this.#patience) return
    this.#options.request({ type: 'close' })
    this.#expectEnd()
  }

  abort(): void {
    if (this.#isCut || this.#hasLeft) return
    this.#isCut = true
    wsNetwork.sockets.remove(this)
    this.#options.request({ type: 'close' })
    this.#expectEnd()
    this.#options.cut()
  }

  /** Handles a message of the thread. */
  handle(message: Exclude<FromThread, { readonly type: 'trouble' }>): void {
    switch (message.type) {
      case 'answer':
        return this.#answered(message.sdp)
      case 'connected':
        return this.#isCut ? undefined : this.#guard(this.#options.connected)
      case 'delay':
        this.delay = message.ms
        return undefined
      case 'text':
        return this.#pass(message.text)
      case 'sound':
        return this.#pass(bytesFromSamples(message.samples))
      case 'gone': {
        const { how, reason } = message
        if (how === 'invalid') this.#refused(new OfferInvalidError(reason))
        return this.#leave({ how: how === 'closed' ? 'closed' : 'dropped', reason })
      }
    }
  }

  /** The thread has ended, and the connection with it. */
  threadDied(error: Error): void {
    if (!this.#isCut) this.#guard(() => this.owner.failed(error))
    this.#leave({ how: 'dropped', reason: error.message })
  }

  #pass(data: string | Uint8Array): void {
    if (this.#isCut) return
    try {
      this.owner.message(data)
    } catch (error) {
      const { owner } = this
      this.#options.logger.error({ error }, 'a connection was cut: handling what it sent failed')
      this.abort()
      this.#guard(() => owner.failed(error))
    }
  }

  /** A thread that does not confirm the end of a connection hangs. */
  #expectEnd(): void {
    this.#patience?.clear()
    const { clock, hangs } = this.#options
    this.#patience = clock.after(limits.closePatience, 'end of a WebRTC connection', hangs)
  }

  #leave(end: PeerEnd): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#patience?.clear()
    wsNetwork.sockets.remove(this)
    this.#refused(new ConnectionEndedError())
    this.#guard(() => this.owner.left(this.#isCut ? { how: 'aborted' } : end))
    this.#gone()
  }

  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#options.logger.error({ error }, 'a call could not be ended')
    }
  }
}
