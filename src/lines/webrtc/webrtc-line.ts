import { pcm } from '../../audio/index.ts'
import type { Session } from '../../session/index.ts'
import { BaseLine } from '../base-line.ts'
import { limits } from './limits.ts'
import { HEARS } from '../rtvi/client-call.ts'
import type { WebRtcCall } from './webrtc-call.ts'

/** The line to one WebRTC client that has called. `WebRtcCalls` creates it; pass it to one session. */
export class WebRtcLine extends BaseLine {
  readonly name = 'webrtc'
  readonly hears = pcm(HEARS)
  readonly speaks = pcm(24_000)
  readonly #call: WebRtcCall

  /** @internal */
  constructor(call: WebRtcCall) {
    super(call, limits.closePatience)
    this.#call = call
  }

  attach(session: Session): void {
    this.#call.attach(session)
  }
}
