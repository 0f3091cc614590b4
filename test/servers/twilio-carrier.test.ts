import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../src/testing/index.ts'
import { twilioSignature } from '../../src/testing/servers/index.ts'
import { Application, connected, STREAM, WEBHOOK } from './twilio-application.ts'

describe('a call of the carrier', () => {
  it('posts a signed form to the webhook, and opens the stream in the TwiML, also signed', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world, { from: '+1', to: '+2' })
      const [post] = application.posts
      const form = Object.fromEntries(new URLSearchParams(post!.body))
      expect(form).toMatchObject({ CallSid: call.sid, CallStatus: 'ringing', From: '+1', To: '+2' })
      expect(post!.headers).toMatchObject({
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'x-twilio-signature': twilioSignature('token', WEBHOOK, form),
      })
      expect(application.dials).toMatchObject([
        { url: STREAM, headers: { 'x-twilio-signature': twilioSignature('token', STREAM) } },
      ])
      expect(call.events.map(({ type }) => type)).toEqual(['ringing', 'answered', 'connected', 'started'])
      call.abort()
    }))

  it('sends connected, start, and then a numbered frame of 20 ms every 20 ms', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      await world.clock.elapse(1_000)
      const [first, start, ...media] = application.frames
      expect(first).toEqual({ event: 'connected', protocol: 'Call', version: '1.0.0' })
      const { streamSid } = start!
      expect(start).toEqual({
        event: 'start',
        sequenceNumber: '1',
        streamSid,
        start: {
          accountSid: application.carrier.accountSid,
          streamSid,
          callSid: call.sid,
          tracks: ['inbound'],
          mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
          customParameters: { a: '1 & 2' },
        },
      })
      expect(media.length).toBeGreaterThanOrEqual(50)
      expect(media.length).toBeLessThanOrEqual(52)
      expect(media[49]).toMatchObject({
        event: 'media',
        sequenceNumber: '51',
        streamSid,
        media: { track: 'inbound', chunk: '50', timestamp: '980' },
      })
      const { payload } = media[49]!['media'] as { payload: string }
      expect(new Set(Buffer.from(payload, 'base64'))).toEqual(new Set([0xff]))
      call.abort()
    }))

  it("uses Telnyx's format, and signs webhooks with a Telnyx key", () =>
    inVirtualTime(async (world) => {
      const application = new Application(world, { dialect: 'telnyx' })
      const call = application.call()
      await world.clock.elapse(30)
      const [post] = application.posts
      const { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': time } = post!.headers
      const key = Buffer.from(application.carrier.publicKey, 'base64')
      const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key])
      const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
      const signed = Buffer.from(`${time}|${post!.body}`)
      expect(verify(null, signed, publicKey, Buffer.from(signature!, 'base64'))).toBe(true)
      expect(application.dials[0]!.headers).toEqual({})
      const [first, start, media] = application.frames
      expect(first).toEqual({ event: 'connected', version: '1.0.0' })
      expect(start).toMatchObject({
        sequence_number: '1',
        stream_id: expect.any(String),
        start: {
          call_control_id: call.sid,
          custom_parameters: { a: '1 & 2' },
          media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
        },
      })
      expect(media).toMatchObject({
        event: 'media',
        sequence_number: '2',
        media: { chunk: '1', timestamp: '0' },
      })
      application.send('mark', { mark: { name: 'a' } })
      call.press('5')
      await world.clock.elapse(10)
      expect(application.frames.filter(({ event }) => event === 'mark' || event === 'dtmf')).toMatchObject([
        { event: 'dtmf', dtmf: { digit: '5' } },
        { event: 'mark', mark: { name: 'a' } },
      ])
      call.hangUp()
      await world.clock.elapse(10)
      expect(application.received('stop')).toMatchObject([{ stop: { call_control_id: call.sid } }])
    }))

  it.each([
    ['a status that is not 200', 403],
    ['malformed TwiML', '<Response><Connect>'],
    ['something other than a Response', 'hello'],
  ])('fails if the webhook responds with %s', (_, answer) =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      application.twiml = () => answer
      const call = application.call()
      await call.gone()
      expect([call.state, call.endedBy]).toEqual(['failed', 'carrier'])
      expect(call.events.map(({ type }) => type)).toEqual(['ringing', 'refused', 'ended'])
    }),
  )

  it('continues with the action URL when the application closes the stream', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      application.twiml = ({ url }) =>
        url === WEBHOOK
          ? `<?xml version="1.0"?><Response><Connect action="/next"><Stream url="${STREAM}"/></Connect></Response>`
          : '<Response><Say>Goodbye</Say><Pause length="2"/><Hangup/></Response>'
      const call = application.call()
      await world.clock.elapse(20)
      application.peers[0]!.close(1000)
      await world.clock.elapse(1_000)
      expect([call.state, application.posts[1]!.url]).toEqual(['in-progress', 'https://example.com/next'])
      await call.gone()
      expect(call.events.at(-1)).toMatchObject({ type: 'ended', by: 'application' })
      expect(call.events.at(-1)!.at).toBeGreaterThan(2_000)
      // The application hung up itself, so there is no stream to send `stop` on.
      expect(application.received('stop')).toEqual([])
    }))

  it('signs the public URL, and posts to the local one', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world, { publicUrl: 'https://example.com' })
      const call = application.carrier.call('http://127.0.0.1:4600/answer?x=1')
      await world.clock.elapse(20)
      const [post] = application.posts
      const form = Object.fromEntries(new URLSearchParams(post!.body))
      expect(post!.url).toBe('http://127.0.0.1:4600/answer?x=1')
      expect(post!.headers['x-twilio-signature']).toBe(
        twilioSignature('token', 'https://example.com/answer?x=1', form),
      )
      expect(application.dials).toMatchObject([
        {
          url: 'ws://127.0.0.1:4600/stream',
          headers: { 'x-twilio-signature': twilioSignature('token', STREAM) },
        },
      ])
      call.abort()
    }))
})
