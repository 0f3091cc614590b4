import { describe, expect, it } from 'vitest'
import { TwilioCarrier } from '../../src/testing/servers/index.ts'
import { compiled } from '../compiled.ts'
import { Program } from '../program.ts'

describe('the phone example', () => {
  it.each([
    ['a token', 'a token of the account'],
    ['no token', ''],
  ])('answers a call, with %s', async (_, authToken) => {
    const publicUrl = 'https://phone.example.com'
    const program = new Program([compiled('phone-example')], {
      env: { PORT: '0', TWILIO_AUTH_TOKEN: authToken, PUBLIC_URL: authToken === '' ? '' : publicUrl },
    })
    await using carrier = await TwilioCarrier.listen(authToken === '' ? {} : { authToken, publicUrl })
    try {
      const url = await program.prints(/http:\S+/)
      const unsigned = { signs: 'never', signsStream: 'never' } as const
      const call = carrier.call(`${url}/phone/answer`, authToken === '' ? unsigned : {})
      await call.until(() => call.heardBytes > 8_000 || call.over)
      expect(call.over).toBe(false)
      call.hangUp()
      await call.gone()
      expect(await program.prints(/caller-.*well/)).toBe('caller-hung-up ended well')
    } finally {
      program.signal('SIGINT')
      expect(await program.ended()).toBe(0)
    }
  })
})
