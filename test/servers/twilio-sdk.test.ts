import type { IncomingMessage, ServerResponse } from 'node:http'
import twilio from 'twilio'
import { describe, expect, it } from 'vitest'
import { LoopbackServer, TwilioCarrier } from '../../src/testing/servers/index.ts'

const { RequestClient, twiml, validateRequest } = twilio

interface Received {
  readonly url: string
  readonly form: Record<string, string>
  readonly signature: string
}

/** An application that answers every webhook with a document. */
async function listen(document: string) {
  const received: Received[] = []
  const http = (request: IncomingMessage, response: ServerResponse): void => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.once('end', () => {
      const signature = String(request.headers['x-twilio-signature'])
      received.push({
        url: `${url}${request.url}`,
        form: Object.fromEntries(new URLSearchParams(body)),
        signature,
      })
      response.end(document)
    })
  }
  const server = await LoopbackServer.listen({ http })
  const url = server.url.replace('ws', 'http')
  return {
    server,
    url,
    received,
    forms: (path: string) => received.filter((each) => each.url === url + path),
  }
}

/** The vendor's client, with our carrier in the place of api.twilio.com. */
function clientOf({ accountSid, authToken, url }: TwilioCarrier) {
  const requests = new RequestClient()
  const request = requests.request.bind(requests)
  requests.request = (options) =>
    request({ ...options, uri: options.uri.replace('https://api.twilio.com', url) })
  return twilio(accountSid, authToken, { httpClient: requests })
}

const hold = (): string => {
  const response = new twiml.VoiceResponse()
  response.pause({ length: 60 })
  return response.toString()
}

describe("Twilio's SDK and our carrier", () => {
  it('make a call, follow it, redirect it, record it and end it', async () => {
    const application = await listen(hold())
    await using carrier = await TwilioCarrier.listen()
    const person = carrier.person('+4930123', { answersAfter: 0 })
    const client = clientOf(carrier)
    const call = await client.calls.create({
      to: '+4930123',
      from: '+15550199',
      url: `${application.url}/answer?ticket=1`,
      statusCallback: `${application.url}/status`,
      statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
      timeout: 20,
      machineDetection: 'Enable',
      asyncAmd: 'true',
    })
    expect([call.status, call.direction, call.to]).toEqual(['queued', 'outbound-api', '+4930123'])
    await carrier.until(() => person.calls[0]?.events.some(({ type }) => type === 'told-more') ?? false)
    expect((await client.calls(call.sid).fetch()).status).toBe('in-progress')
    expect(
      (await client.calls.list({ to: '+4930123', status: 'in-progress' })).map(({ sid }) => sid),
    ).toEqual([call.sid])
    const recording = await client.calls(call.sid).recordings.create({
      recordingChannels: 'dual',
      recordingStatusCallback: `${application.url}/recorded`,
    })
    expect([recording.callSid, recording.channels, recording.status]).toEqual([call.sid, 2, 'in-progress'])
    const current = client.calls(call.sid).recordings('Twilio.CURRENT')
    expect((await current.update({ status: 'stopped' })).status).toBe('stopped')
    expect((await client.calls(call.sid).update({ twiml: hold() })).status).toBe('in-progress')
    const ended = await client.calls(call.sid).update({ status: 'completed' })
    expect([ended.status, ended.duration]).toEqual(['completed', expect.stringMatching(/^\d+$/)])
    await expect(client.calls(call.sid).update({ twiml: hold() })).rejects.toMatchObject({
      status: 400,
      code: 21_220,
    })
    await expect(client.calls('CA0').update({ status: 'completed' })).rejects.toMatchObject({ code: 20_404 })
    await carrier.until(() => carrier.open === 0 && application.forms('/status').length === 4)
    expect(application.forms('/status').map(({ form }) => form['CallStatus'])).toEqual([
      'initiated',
      'ringing',
      'in-progress',
      'completed',
    ])
    for (const { url, form, signature } of application.received)
      expect(validateRequest(carrier.authToken, signature, url, form)).toBe(true)
    await application.server.close()
  })

  it('agree on errors', async () => {
    await using carrier = await TwilioCarrier.listen({ numbers: ['+15550199'] })
    const client = clientOf(carrier)
    const dial = (to: string, from: string) => client.calls.create({ to, from, twiml: hold() })
    await expect(dial('030', '+15550199')).rejects.toMatchObject({ status: 400, code: 21_211 })
    await expect(dial('+4930123', '+1')).rejects.toMatchObject({ status: 400, code: 21_210 })
    const stranger = twilio(carrier.accountSid, 'wrong', { httpClient: client.httpClient })
    await expect(stranger.calls('CA0').fetch()).rejects.toMatchObject({ status: 401, code: 20_003 })
    expect(carrier.calls).toEqual([])
  })

  it('connect people by documents of the SDK, and run a conference', async () => {
    const room = new twiml.VoiceResponse()
    room.dial().conference({ participantLabel: 'caller', endConferenceOnExit: true }, 'N')
    const application = await listen(room.toString())
    await using carrier = await TwilioCarrier.listen()
    const person = carrier.person('+4930123', { answersAfter: 0 })
    const client = clientOf(carrier)
    const caller = carrier.call(application.url)
    await caller.until(() => caller.events.some(({ type }) => type === 'joins-conference'))
    const added = await client.conferences('N').participants.create({
      from: '+15550199',
      to: '+4930123',
      label: 'person',
      earlyMedia: true,
      conferenceStatusCallback: `${application.url}/conference`,
    })
    expect([added.label, added.status, added.callSid]).toEqual(['person', 'queued', person.calls[0]!.sid])
    await carrier.until(() => person.calls[0]!.events.some(({ type }) => type === 'joins-conference'))
    const [conference] = await client.conferences.list({ friendlyName: 'N', status: 'in-progress' })
    expect(conference!.status).toBe('in-progress')
    const participants = client.conferences(conference!.sid).participants
    expect((await participants.list()).map(({ label }) => label)).toEqual(['caller', 'person'])
    expect((await participants('person').update({ hold: true, muted: true })).hold).toBe(true)
    expect(await participants('person').remove()).toBe(true)
    await expect(participants('person').fetch()).rejects.toMatchObject({ status: 404, code: 20_404 })
    const transfer = new twiml.VoiceResponse()
    transfer.dial({ timeout: 5, callerId: '+15550199' }).number({ sendDigits: '1' }, '+4930123')
    await client.calls(caller.sid).update({ twiml: transfer.toString() })
    await caller.until(() => caller.events.some(({ type }) => type === 'bridged'))
    expect(carrier.live).toHaveLength(2)
    caller.hangUp()
    await carrier.until(() => carrier.live.length === 0)
    await application.server.close()
  })
})
