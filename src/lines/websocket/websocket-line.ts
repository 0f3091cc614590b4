import { pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import { BaseLine } from '../base-line.ts'
import { limits } from './limits.ts'
import type { PageCall } from './page-call.ts'

/** The line to one page that has called. `WebSocketCalls` creates it; pass it to one session. */
export class WebSocketLine extends BaseLine {
  readonly name = 'browser'
  readonly hears: AudioFormat
  readonly speaks: AudioFormat

  /** @internal */
  constructor(call: PageCall, sampleRate: SampleRate) {
    super(call, limits.closePatience)
    this.hears = this.speaks = pcm(sampleRate)
  }
}
