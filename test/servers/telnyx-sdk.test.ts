import Telnyx from 'telnyx'
import { describe, expect, it } from 'vitest'
import { LoopbackServer, TwilioCarrier } from '../../src/testing/servers/index.ts'

const HOLD = '<Response><Pause length="60"/></Response>'

describe("Telnyx's SDK and our carrier", () => {
  it('make a call, press keys, record it, redirect it and end it', async () => {
    await using application = await LoopbackServer.listen({ http: (_, response) => response.end(HOLD) })
    await using carrier = await TwilioCarrier.listen({ dialect: 'telnyx' })
    const person = carrier.person('+4930123', { answersAfter: 0 })
    const { accountSid: account_sid } = carrier
    const client = new Telnyx({ apiKey: carrier.authToken, baseURL: `${carrier.url}/v2`, maxRetries: 0 })
    const Url = application.url.replace('ws', 'http')
    const call = await client.texml.calls.create('123', { From: '+15550199', To: '+4930123', Url })
    expect(call).toEqual({
      call_sid: person.calls[0]!.sid,
      from: '+15550199',
      to: '+4930123',
      status: 'queued',
    })
    const { call_sid: sid } = call
    await carrier.until(() => person.calls[0]!.events.some(({ type }) => type === 'told-more'))
    expect((await client.texml.accounts.calls.retrieve(sid, { account_sid })).status).toBe('in-progress')
    const keys = await client.calls.actions.sendDtmf(sid, { digits: '1#', command_id: 'a' })
    expect(keys.data?.result).toBe('ok')
    await carrier.until(() => person.calls[0]!.events.some(({ type }) => type === 'hears-keys'))
    await client.calls.actions.startRecording(sid, { channels: 'dual', format: 'wav' })
    await client.calls.actions.stopRecording(sid, {})
    const recording = await client.texml.accounts.calls.recordingsJson.recordingsJson(sid, { account_sid })
    expect([recording.call_sid, recording.source]).toEqual([sid, 'StartCallRecordingAPI'])
    const redirected = await client.texml.accounts.calls.update(sid, { account_sid, Texml: HOLD })
    expect(redirected.status).toBe('in-progress')
    expect((await client.calls.actions.hangup(sid, {})).data?.result).toBe('ok')
    expect(person.calls[0]!.endedBy).toBe('application-by-rest')
    await expect(client.calls.actions.hangup(sid, {})).rejects.toMatchObject({
      status: 422,
      error: { errors: [{ code: '90018' }] },
    })
  })

  it('make a call below an account, whose id the response does not have, and run a conference', async () => {
    await using carrier = await TwilioCarrier.listen({ dialect: 'telnyx' })
    const person = carrier.person('+4930123', { answersAfter: 0 })
    const { accountSid: account_sid } = carrier
    const client = new Telnyx({ apiKey: carrier.authToken, baseURL: `${carrier.url}/v2`, maxRetries: 0 })
    const Texml = '<Response><Dial><Conference>N</Conference></Dial></Response>'
    const made = await client.texml.accounts.calls.calls(account_sid, {
      body: { ApplicationSid: '123', From: '+15550199', To: '+4930123', Texml },
    })
    expect(made).toEqual({ from: '+15550199', to: '+4930123', status: 'queued' })
    const { participants } = client.texml.accounts.conferences
    await carrier.until(() => person.calls[0]!.events.some(({ type }) => type === 'joins-conference'))
    const names = { account_sid, conference_sid: 'N' }
    expect(await participants.retrieve(person.calls[0]!.sid, names)).toMatchObject({ muted: false })
    expect(await participants.update(person.calls[0]!.sid, { ...names, Muted: true })).toMatchObject({
      muted: true,
    })
    await participants.delete(person.calls[0]!.sid, names)
    await carrier.until(() => carrier.live.length === 0)
  })
})
