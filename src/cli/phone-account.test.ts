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

  it('[HO28] is that of Telnyx, if its key is set', () => {
    expect(phoneAccount({ telnyxApiKey: 'KEY1', telnyxPublicKey: 'shown', twilioAccountSid: 'AC1' })).toEqual(
      {
        carrier: 'telnyx',
        authToken: 'KEY1',
        publicKey: 'shown',
      },
    )
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
