import { describe, expect, it } from 'vitest'
import { carrierConflicts, phoneAccount } from './phone-account.ts'

describe('the account at a carrier', () => {
  it('[HO28] is that of Twilio, as far as it is set', () => {
    expect(phoneAccount({})).toEqual({})
    expect(
      phoneAccount({ twilioAuthToken: 'token', twilioAccountSid: 'AC1', twilioApi: 'http://x' }),
    ).toEqual({
      authToken: 'token',
      accountSid: 'AC1',
      api: 'http://x',
    })
  })

  it('[LN15] has a second token of Twilio, but not that alone', () => {
    expect(phoneAccount({ twilioAuthToken: 'new', twilioSecondaryAuthToken: 'old' })).toEqual({
      authToken: 'new',
      secondaryAuthToken: 'old',
    })
    expect(carrierConflicts({ twilioAuthToken: 'new', twilioSecondaryAuthToken: 'old' })).toEqual([])
    expect(carrierConflicts({ twilioSecondaryAuthToken: 'old' })).toEqual([
      expect.stringContaining('without TWILIO_AUTH_TOKEN'),
    ])
  })

  it('[HO28] is that of Telnyx, if its key is set', () => {
    const telnyx = { telnyxApiKey: 'KEY1', telnyxPublicKey: 'shown', telnyxApplication: '12' }
    expect(phoneAccount({ ...telnyx, twilioAccountSid: 'AC1' })).toEqual({
      carrier: 'telnyx',
      authToken: 'KEY1',
      publicKey: 'shown',
      application: '12',
    })
  })

  it('[HO28] cannot be of both, nor of Telnyx without its public key', () => {
    expect(carrierConflicts({})).toEqual([])
    expect(carrierConflicts({ twilioAuthToken: 'token' })).toEqual([])
    expect(carrierConflicts({ telnyxApiKey: 'KEY1', telnyxPublicKey: 'shown' })).toEqual([])
    expect(carrierConflicts({ telnyxApiKey: 'KEY1' })).toEqual([expect.stringContaining('belong together')])
    expect(
      carrierConflicts({ twilioAuthToken: 'token', telnyxApiKey: 'KEY1', telnyxPublicKey: 'shown' }),
    ).toEqual([expect.stringContaining('a host has one carrier')])
  })
})
