import { bytesFromSamples, samplesFromBytes } from '../../audio/index.ts'
import type { PeerEnd } from '../peer.ts'
import { ClientCall, type ClientCallOptions, type PoliteFarewell } from '../rtvi/client-call.ts'
import { limits } from './limits.ts'

/** Has the client disconnect by itself, without an error. */
const peerLeft = JSON.stringify({ type: 'signalling', message: { type: 'peerLeft' } })

/**
 * A call from an RTVI client over WebRTC. The client sends a ping every second. When it hangs up, it closes its data channel; when
 * its tab is closed, everything stops and nothing closes. What comes back in version 1.10 of Pipecat's transport is mute, so
 * nothing may come back.
 */
export class WebRtcCall extends ClientCall {
  /** Milliseconds that sound waits in the page before it is played. */
  #waits = 0

  constructor(options: ClientCallOptions) {
    super('webrtc', options, { ...limits, speaks: 24_000 })
  }

  protected receive(data: string | Uint8Array): void {
    this.alive()
    if (typeof data !== 'string') return this.hear(samplesFromBytes(data))
    if (data.length > limits.message) return this.misbehaved('it sent a message that is too long')
    // Signalling messages say which tracks are muted, which their sound shows as well.
    return data.startsWith('ping') ? this.#pinged(data) : this.conversation.receive(data)
  }

  /** Pings are no messages. That of our own page also says how long sound waits in the page, in milliseconds. */
  #pinged(ping: string): void {
    const [, waits] = /^ping: \d+ (\d{1,5})$/.exec(ping) ?? []
    this.#waits = Math.min(Number(waits ?? 0), limits.waits)
  }

  /**
   * Sound is heard when it has crossed the network and the page's buffer, as far as the client tells how long that takes. While a
   * client gives no sign of life, nothing counts as heard: it may have left.
   */
  protected override lag(now: number): number {
    return Math.max((this.peer?.delay ?? 0) + this.#waits, now - this.watchdog.lastSign - limits.quiet)
  }

  protected encodeMessage(json: string): string {
    return json
  }

  protected encodeSound(samples: Int16Array): Uint8Array {
    return bytesFromSamples(samples)
  }

  protected dismissClient(farewell: PoliteFarewell): void {
    // The user has heard nobody, and would not know why.
    if (farewell === 'unanswered') this.conversation.fail('The agent could not take the call.')
    this.peer?.send(peerLeft)
  }

  /** A client cannot come back: whatever ends its connection ends the call. */
  protected override peerLeft({ how }: PeerEnd): void {
    if (how === 'closed') this.hungUp()
    else this.lost()
  }
}
