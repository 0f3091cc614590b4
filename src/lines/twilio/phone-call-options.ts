import type { TransferResult } from '../../parts/index.ts'
import type { CallOptions } from '../call-options.ts'
import type { FarCallOptions } from './far-call.ts'
import type { WarmCaller, WarmRequest } from './warm-transfer.ts'

/** What the carrier is to do in a call. */
export interface CallWishes {
  /** Whether it records the call from the beginning. */
  readonly records: boolean
  /** How keys are pressed. Undefined: as in all calls. */
  readonly keys: 'tones' | 'carrier' | undefined
}

export interface PhoneCallOptions
  extends CallWishes, Pick<CallOptions, 'id' | 'calls' | 'answerTimeout' | 'rejoinTimeout' | 'lostTimeout'> {
  /** The call at its carrier. */
  readonly far: FarCallOptions
  /** Called if the carrier has not confirmed that it records the call. */
  readonly notRecorded: () => void
  /** The address under which the carrier reaches our webhooks. */
  readonly base: string
  /** Our own number, which a person sees who is called for the caller. */
  readonly number: string | undefined
  readonly warm: {
    start(caller: WarmCaller, request: WarmRequest): Promise<TransferResult>
    callerLeaves(call: string): void
  }
  readonly connectTimeout: number
}
