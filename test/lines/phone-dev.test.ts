import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startDev, type DevOptions } from '../../src/cli/dev.ts'
import type { Reception, SessionDetails, SessionSummary } from '../../src/host/index.ts'
import { Agent } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts } from '../../src/testing/index.ts'
import { TwilioCarrier } from '../../src/testing/servers/index.ts'

const models = () => ({ llm: new ScriptedLlm(), tts: new ScriptedTts() })
const agent = (): Agent =>
  new Agent({ name: 'desk', instructions: '', onEnter: ({ session }) => session.say('Good morning!') })
const authToken = 'a token of the account'
const secret = 'a secret of sixteen'
const unsigned = { signs: 'never', signsStream: 'never' } as const

async function dev(options: Partial<DevOptions>): Promise<Reception> {
  return await startDev({
    file: { name: 'Bright Dental', agent, models },
    choice: { name: 'own', models },
    port: 0,
    ...options,
  })
}

async function get<T>(url: string): Promise<T> {
  const headers = { authorization: `Bearer ${secret}`, connection: 'close' }
  return (await (await fetch(url, { headers })).json()) as T
}

describe('endwell dev, on the phone', () => {
  it('answers, and shows the call like any other, without the number of the caller', async () => {
    const running = await dev({})
    await using carrier = await TwilioCarrier.listen()
    try {
      const call = carrier.call(`${running.url}/phone/answer`, unsigned)
      await call.until(() => call.heardBytes > 1_600 || call.over)
      call.hangUp()
      await call.gone()
      // The event stream ends with the session.
      await (
        await fetch(`${running.url}/api/sessions/${call.sid}/events`, { headers: { connection: 'close' } })
      ).text()
      const { sessions } = await get<{ sessions: SessionSummary[] }>(`${running.url}/api/sessions`)
      expect(sessions).toMatchObject([
        { id: call.sid, from: 'phone …00', reason: 'caller-hung-up', clean: true },
      ])
      const { report } = await get<SessionDetails>(`${running.url}/api/sessions/${call.sid}`)
      expect(report?.connections.find(({ name }) => name === 'phone')).toMatchObject({ how: 'acknowledged' })
      expect(JSON.stringify(report)).not.toContain('5550100')
    } finally {
      expect((await running.close()).clean).toBe(true)
    }
  })

  it('takes requests that the carrier signed, under any host name, and ends the call at the carrier', async () => {
    await using carrier = await TwilioCarrier.listen({ authToken, publicUrl: 'https://phone.example.com' })
    const running = await dev({
      secret,
      phone: { authToken, publicUrl: 'https://phone.example.com', api: carrier.url },
    })
    try {
      const stranger = carrier.call(`${running.url}/phone/answer`, { signs: 'wrongly' })
      await stranger.gone()
      expect(stranger.state).toBe('failed')
      const call = carrier.call(`${running.url}/phone/answer`)
      await call.until(() => call.heardBytes > 1_600 || call.over)
      expect(call.over).toBe(false)
      const closing = running.close()
      await call.gone()
      await closing
      expect(call.endedBy).toMatch(/^application/)
    } finally {
      expect((await running.close()).clean).toBe(true)
    }
  })

  it('[LN11] serves the studio under its public name, to clients with the secret', async () => {
    const phone = { authToken, publicUrl: 'https://phone.example.com' }
    const status = async (running: Reception, headers: Record<string, string>): Promise<number | undefined> =>
      await new Promise((resolve, reject) => {
        request(`${running.url}/api/sessions`, { agent: false, headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })
    const headers = { host: 'phone.example.com', 'x-forwarded-for': '203.0.113.5' }
    const [open, closed] = [await dev({ phone }), await dev({ phone, secret })]
    expect(await status(open, headers)).toBe(403)
    expect(await status(closed, headers)).toBe(401)
    expect(await status(closed, { ...headers, authorization: `Bearer ${secret}` })).toBe(200)
    await Promise.all([open.close(), closed.close()])
  })

  it('requires the secret for the phone too, if there is a secret and no token', async () => {
    await using carrier = await TwilioCarrier.listen()
    const running = await dev({ secret })
    try {
      const stranger = carrier.call(`${running.url}/phone/answer`, unsigned)
      await stranger.gone()
      expect(stranger.state).toBe('failed')
      const headers = { authorization: `Bearer ${secret}` }
      const call = carrier.call(`${running.url}/phone/answer`, { ...unsigned, headers })
      await call.until(() => call.heardBytes > 1_600 || call.over)
      expect(call.over).toBe(false)
      call.hangUp()
      await call.gone()
    } finally {
      expect((await running.close()).clean).toBe(true)
    }
  })
})
