import { describe, expect, it } from 'vitest'
import { twilioSignature } from './twilio-signature.ts'

describe('a Twilio signature', () => {
  it("equals that of the example in Twilio's documentation", () => {
    const form = {
      To: '+18005551212',
      From: '+14158675310',
      Digits: '1234',
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675310',
    }
    expect(twilioSignature('12345', 'https://example.com/myapp.php?foo=1&bar=2', form)).toBe(
      'L/OH5YylLD5NRKLltdqwSvS0BnU=',
    )
  })

  it("equals those in the tests of Twilio's libraries", () => {
    const form = {
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675309',
      Digits: '1234',
      From: '+14158675309',
    }
    expect(
      twilioSignature('12345', 'https://mycompany.com/myapp.php?foo=1&bar=2', {
        ...form,
        To: '+18005551212',
      }),
    ).toBe('RSOYDt4T1cUTdK1PDd93/VVr8B8=')
    const voice = {
      ToState: 'California',
      CalledState: 'California',
      Direction: 'inbound',
      FromState: 'CA',
      AccountSid: 'ACba8bc05eacf94afdae398e642c9cc32d',
      Caller: '+14153595711',
      CallerZip: '94108',
      CallerCountry: 'US',
      From: '+14153595711',
      FromCity: 'SAN FRANCISCO',
      CallerCity: 'SAN FRANCISCO',
      To: '+14157669926',
      FromZip: '94108',
      FromCountry: 'US',
      ToCity: '',
      CallStatus: 'ringing',
      CalledCity: '',
      CallerState: 'CA',
      CalledZip: '',
      ToZip: '',
      ToCountry: 'US',
      CallSid: 'CA136d09cd59a3c0ec8dbff44da5c03f31',
      CalledCountry: 'US',
      Called: '+14157669926',
      ApiVersion: '2010-04-01',
      ApplicationSid: 'AP44efecad51364e80b133bb7c07eb8204',
    }
    expect(
      twilioSignature(
        '2bd9e9638872de601313dc77410d3b23',
        'http://twiliotests.heroku.com/validate/voice',
        voice,
      ),
    ).toBe('oVb2kXoVy8GEfwBDjR8bk/ZZ6eA=')
  })
})
