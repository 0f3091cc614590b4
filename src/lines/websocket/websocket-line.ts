import { pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import { BaseLine } from '../base-line.ts'
import { limits } from './limits.ts'
import type { PageCall } from './page-call.ts'
import type { TranscribedSession } from './page-transcript.ts'

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

  /**
   * Sends the page the transcript of its session: the caller's words, and the agent's words as they are heard (LN16). Call it
   * before the session starts.
   */
  sendTranscript(session: TranscribedSession): void {
    this.#pageCall.sendTranscript(session)
  }
}
