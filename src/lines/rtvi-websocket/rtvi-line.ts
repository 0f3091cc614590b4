import { pcm } from '../../audio/index.ts'
import type { Session } from '../../session/index.ts'
import { BaseLine } from '../base-line.ts'
import { limits } from './limits.ts'
import { rates, type RtviCall } from './rtvi-call.ts'

/** The line to one RTVI client that has called. `RtviCalls` creates it; pass it to one session. */
export class RtviLine extends BaseLine {
  readonly name = 'rtvi'
  readonly hears = pcm(rates.hears)
  readonly speaks = pcm(rates.speaks)
  readonly #call: RtviCall

  /** @internal */
  constructor(call: RtviCall) {
    super(call, limits.closePatience)
    this.#call = call
  }

  attach(session: Session): void {
    this.#call.attach(session)
  }
}
