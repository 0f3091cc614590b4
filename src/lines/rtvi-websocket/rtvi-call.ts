import { Resampler, sampleRates, samplesFromBytes } from '../../audio/index.ts'
import type { Peer, PeerEnd } from '../peer.ts'
import { ClientCall, HEARS, type ClientCallOptions, type PoliteFarewell } from '../rtvi/client-call.ts'
import type { RtviOptions } from '../rtvi/options.ts'
import { decodeFrame, encodeMessage, encodeSound, type Frame } from './frames.ts'
import { limits } from './limits.ts'

export interface RtviCallOptions extends ClientCallOptions {
  readonly rtvi: Required<RtviOptions>
}

/** What a client shows to its user when a call ends. A close frame would be shown as an error of the network. */
const farewells: Readonly<Record<PoliteFarewell, string>> = {
  'hung-up': 'The call has ended.',
  ended: 'The call has ended.',
  unanswered: 'The agent could not take the call.',
  closing: 'The call has ended: the server is closing.',
}

/** Codes of a close frame by which a client hangs up: on purpose, because its tab was closed, or without a code. */
const hangUps: ReadonlySet<number | undefined> = new Set([1000, 1001, 1005])

/** A call from an RTVI client over a WebSocket. The client sends no pings, and plays at one rate, whatever a frame says. */
export class RtviCall extends ClientCall {
  #resampler = new Resampler({ from: HEARS, to: HEARS })

  constructor(options: RtviCallOptions) {
    super('rtvi', options, { ...limits, speaks: options.rtvi.playerSampleRate })
  }

  protected override ping(peer: Peer): void {
    peer.ping()
  }

  override controlFrame(): void {
    this.alive()
    super.controlFrame()
  }

  protected receive(data: string | Uint8Array): void {
    this.alive()
    const frame = typeof data === 'string' ? undefined : decodeFrame(data)
    if (!frame) return this.misbehaved('it sent something that is not a frame of this protocol')
    if (frame.type === 'audio') return this.#hear(frame)
    return frame.type === 'message' ? this.conversation.receive(frame.json) : undefined
  }

  protected encodeMessage(json: string): Uint8Array {
    return encodeMessage(json)
  }

  protected encodeSound(samples: Int16Array): Uint8Array {
    return encodeSound(samples, this.speaks)
  }

  protected dismissClient(farewell: PoliteFarewell): void {
    this.conversation.fail(farewells[farewell])
  }

  /** A client cannot come back: whatever ends its connection ends the call. */
  protected override peerLeft({ how, code }: PeerEnd): void {
    if (how === 'closed' && hangUps.has(code)) this.hungUp()
    else this.lost()
  }

  #hear({ bytes, sampleRate, channels }: Frame & { readonly type: 'audio' }): void {
    if (bytes.length % 2 === 1) return this.misbehaved('its sound is not PCM16')
    const from = sampleRates.find((each) => each === sampleRate)
    if (from === undefined || channels !== 1)
      return this.misbehaved(
        `its sound has ${sampleRate} Hz and ${channels} channels: it must have ${sampleRates.join(', ')} Hz and 1`,
      )
    if (from !== this.#resampler.from) this.#resampler = new Resampler({ from, to: HEARS })
    return this.hear(this.#resampler.push(samplesFromBytes(bytes)))
  }
}
