import type { World } from '../../src/testing/index.ts'
import type { TwilioCarrierOptions, TwilioPersonOptions } from '../../src/testing/servers/index.ts'
import { Application } from './twilio-application.ts'

export const NUMBER = '+4930123'
/** The document of the call. */
export const DIALLED = 'https://example.com/dialled'
export const STATUS = 'https://example.com/status'
/** A valid request for a call to `NUMBER`. */
export const toDial = { To: NUMBER, From: '+1', Url: DIALLED, StatusCallback: STATUS }

/** An application that can call one person. */
export function dialling(world: World, person: TwilioPersonOptions = {}, options: TwilioCarrierOptions = {}) {
  const application = new Application(world, options)
  const callee = application.carrier.person(NUMBER, person)
  return {
    application,
    callee,
    statuses: () => application.forms(STATUS).map(({ CallStatus }) => CallStatus),
  }
}
