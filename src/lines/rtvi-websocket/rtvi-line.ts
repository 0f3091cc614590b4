import { pcm, type AudioFormat } from '../../audio/index.ts'
import type { Session } from '../../session/index.ts'
import { BaseLine } from '../base-line.ts'
import { limits } from './limits.ts'
import { HEARS } from '../rtvi/client-call.ts'
import type { RtviCall } from './rtvi-call.ts'

/** The line to one RTVI client that has called. `RtviCalls` creates it; pass it to one session. */
export class RtviLine extends BaseLine {
  readonly name = 'rtvi'
  readonly hears = pcm(HEARS)
  readonly speaks: AudioFormat
  readonly #call: RtviCall

  /** @internal */
  constructor(call: RtviCall) {
    super(call, limits.closePatience)
    this.speaks = pcm(call.speaks)
    this.#call = call
  }

  attach(session: Session): void {
    this.#call.attach(session)
  }
}
