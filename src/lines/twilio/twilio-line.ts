import { muLaw } from '../../audio/index.ts'
import { BaseLine } from '../base-line.ts'
import { limits } from './limits.ts'
import type { PhoneCall } from './phone-call.ts'

/** The line to one caller on the phone. `TwilioCalls` creates it; pass it to one session. */
export class TwilioLine extends BaseLine {
  readonly name = 'phone'
  readonly hears = muLaw
  readonly speaks = muLaw

  /** @internal */
  constructor(call: PhoneCall) {
    super(call, limits.closePatience)
  }
}
