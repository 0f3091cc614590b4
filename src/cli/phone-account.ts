import type { PhoneAccount } from '../host/index.ts'
import { OptionError } from '../scope/index.ts'

/** What the environment says about a carrier. */
export interface CarrierSettings {
  readonly twilioAuthToken?: string | undefined
  readonly twilioSecondaryAuthToken?: string | undefined
  readonly twilioAccountSid?: string | undefined
  readonly twilioApi?: string | undefined
  readonly telnyxApiKey?: string | undefined
  readonly telnyxPublicKey?: string | undefined
  readonly telnyxApplication?: string | undefined
  readonly telnyxApi?: string | undefined
}

/** The account of the carrier that is set up: Telnyx with its key, Twilio otherwise. */
export function phoneAccount(settings: CarrierSettings): PhoneAccount {
  const { twilioAuthToken, twilioSecondaryAuthToken, twilioAccountSid, twilioApi } = settings
  const { telnyxApiKey, telnyxPublicKey, telnyxApplication, telnyxApi } = settings
  if (telnyxApiKey !== undefined)
    return {
      carrier: 'telnyx',
      authToken: telnyxApiKey,
      ...(telnyxPublicKey === undefined ? {} : { publicKey: telnyxPublicKey }),
      ...(telnyxApplication === undefined ? {} : { application: telnyxApplication }),
      ...(telnyxApi === undefined ? {} : { api: telnyxApi }),
    }
  return {
    ...(twilioAuthToken === undefined ? {} : { authToken: twilioAuthToken }),
    ...(twilioSecondaryAuthToken === undefined ? {} : { secondaryAuthToken: twilioSecondaryAuthToken }),
    ...(twilioAccountSid === undefined ? {} : { accountSid: twilioAccountSid }),
    ...(twilioApi === undefined ? {} : { api: twilioApi }),
  }
}

/** Settings of carriers that exclude or need each other. */
export function carrierConflicts(settings: CarrierSettings): string[] {
  const { twilioAuthToken, twilioSecondaryAuthToken, telnyxApiKey, telnyxPublicKey } = settings
  const found: (string | false)[] = [
    twilioAuthToken !== undefined &&
      telnyxApiKey !== undefined &&
      'TWILIO_AUTH_TOKEN and TELNYX_API_KEY are both set: a host has one carrier',
    twilioAuthToken === undefined &&
      twilioSecondaryAuthToken !== undefined &&
      'TWILIO_SECONDARY_AUTH_TOKEN is set without TWILIO_AUTH_TOKEN',
    (telnyxApiKey === undefined) !== (telnyxPublicKey === undefined) &&
      'TELNYX_API_KEY and TELNYX_PUBLIC_KEY belong together: Telnyx signs with a key of its own, which its portal shows',
  ]
  return found.filter((each) => each !== false)
}

/** The account of the carrier in the environment. Throws if its settings do not go together. */
export function phoneAccountOf(env: NodeJS.ProcessEnv): PhoneAccount {
  const set = (name: string): string | undefined => env[name] || undefined
  const settings = {
    twilioAuthToken: set('TWILIO_AUTH_TOKEN'),
    twilioSecondaryAuthToken: set('TWILIO_SECONDARY_AUTH_TOKEN'),
    twilioAccountSid: set('TWILIO_ACCOUNT_SID'),
    twilioApi: set('TWILIO_API_URL'),
    telnyxApiKey: set('TELNYX_API_KEY'),
    telnyxPublicKey: set('TELNYX_PUBLIC_KEY'),
    telnyxApplication: set('TELNYX_APPLICATION_ID'),
    telnyxApi: set('TELNYX_API_URL'),
  }
  const [conflict] = carrierConflicts(settings)
  if (conflict !== undefined) throw new OptionError(conflict)
  const publicUrl = set('PUBLIC_URL')
  return { ...phoneAccount(settings), ...(publicUrl === undefined ? {} : { publicUrl }) }
}
