import { pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import type { Session } from '../../session/index.ts'
import { BaseLine } from '../base-line.ts'
import { limits } from './limits.ts'
import type { PageCall } from './page-call.ts'

/** The line to one page that has called. `WebSocketCalls` creates it; pass it to one session. */
export class WebSocketLine extends BaseLine {
  readonly name = 'browser'
  readonly hears: AudioFormat
  readonly speaks: AudioFormat
  readonly #pageCall: PageCall

  /** @internal */
  constructor(call: PageCall, sampleRate: SampleRate) {
    super(call, limits.closePatience)
    this.#pageCall = call
    this.hears = this.speaks = pcm(sampleRate)
  }

  /** @internal Sends the page the transcript of its session (LN16). */
  attach(session: Session): void {
    this.#pageCall.attach(session)
  }
}
