import type { Clock } from '../../scope/index.ts'
import { HangUp } from './hang-up.ts'
import { limits } from './limits.ts'
import { carrierOf, fetchOf, type TwilioCallsOptions } from './options.ts'

export interface HangUpCallOptions extends Pick<
  TwilioCallsOptions,
  | 'carrier'
  | 'authToken'
  | 'secondaryAuthToken'
  | 'accountSid'
  | 'publicKey'
  | 'application'
  | 'api'
  | 'fetch'
> {
  readonly clock: Clock
  /** The carrier's name for the call. */
  readonly call: string
  /** The account that the call belongs to. */
  readonly account: string | undefined
}

/** Ends a call at its carrier, for a process that does not serve it. Resolves to whether the carrier confirmed the end. */
export async function hangUpCall({ clock, call, account, ...options }: HangUpCallOptions): Promise<boolean> {
  const hangUp = new HangUp({ clock, carrier: carrierOf(options), fetch: fetchOf(options), call, account })
  if (!hangUp.possible) return false
  hangUp.ask()
  await hangUp.settled(limits.tries * limits.request)
  hangUp.abort()
  return hangUp.confirmed
}
