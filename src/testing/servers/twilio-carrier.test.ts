import { createPublicKey, verify } from 'node:crypto'
import { get, request as ask, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { decodeWav, encodeMuLaw, level, sine } from '../../audio/index.ts'
import type { DialRequest } from '../../scope/index.ts'
import { inVirtualTime, type Peer, type World } from '../index.ts'
import {
  LoopbackServer,
  TwilioCarrier,
  twilioSignature,
  type FormPost,
  type TwilioCallOptions,
  type TwilioCarrierOptions,
} from './index.ts'

const WEBHOOK = 'https://example.com/answer'
const STREAM = 'wss://example.com/stream'
const CONNECT = `<Response><Connect><Stream url="${STREAM}"><Parameter name="a" value="1 &amp; 2"/></Stream></Connect></Response>`

interface Frame {
  readonly event: string
  readonly streamSid?: string
  readonly sequenceNumber?: string
  readonly [field: string]: unknown
}

/** The application that is called: a script for TwiML, and the far end of the stream. */
class Application {
  readonly posts: FormPost[] = []
  readonly dials: DialRequest[] = []
  readonly frames: Frame[] = []
  readonly peers: Peer[] = []
  readonly carrier: TwilioCarrier
  twiml: (post: FormPost) => string | number = () => CONNECT

  constructor({ clock, network, random }: World, options: TwilioCarrierOptions = {}) {
    network.serve = (request) => {
      this.dials.push(request)
      return {
        opened: (peer) => this.peers.push(peer),
        message: (_, data) => this.frames.push(JSON.parse(String(data)) as Frame),
      }
    }
    this.carrier = new TwilioCarrier({
      authToken: 'token',
      clock,
      random,
      dial: (request, events) => network.dial(request, events),
      post: async (post) => {
        this.posts.push(post)
        const answer = this.twiml(post)
        return typeof answer === 'number' ? { status: answer, body: '' } : { status: 200, body: answer }
      },
      ...options,
    })
  }

  call(options?: TwilioCallOptions) {
    return this.carrier.call(WEBHOOK, options)
  }

  /** Sends as an application does. */
  send(event: string, more: object = {}): void {
    const { streamSid } = this.frames.findLast(({ event: each }) => each === 'start')!
    this.peers.at(-1)!.send(JSON.stringify({ event, streamSid, ...more }))
  }

  /** So many milliseconds of a tone. */
  sound(ms: number): void {
    const bytes = encodeMuLaw(sine(440, { sampleRate: 8000, duration: ms }).samples)
    this.send('media', { media: { payload: Buffer.from(bytes).toString('base64') } })
  }

  mark(name: string): void {
    this.send('mark', { mark: { name } })
  }

  got(event: string): Frame[] {
    return this.frames.filter((frame) => frame.event === event)
  }
}

/** A call that has its stream. */
async function connected(world: World, options?: TwilioCallOptions) {
  const application = new Application(world)
  const call = application.call(options)
  await world.clock.elapse(20)
  return { application, call }
}

describe('the carrier places a call', () => {
  it('asks the webhook with a signed form, and opens the stream that TwiML names, signed, too', () =>
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

  it('says connected, start, and then a numbered frame of 20 ms every 20 ms', () =>
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

  it('speaks the dialect of Telnyx, and signs its webhooks by its key', () =>
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
      expect(application.got('stop')).toMatchObject([{ stop: { call_control_id: call.sid } }])
    }))

  it.each([
    ['a status that is not 200', 403],
    ['something that is no TwiML', '<Response><Connect>'],
    ['something else than a Response', 'hello'],
  ])('fails the call on %s', (_, answer) =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      application.twiml = () => answer
      const call = application.call()
      await call.gone()
      expect([call.state, call.endedBy]).toEqual(['failed', 'carrier'])
      expect(call.events.map(({ type }) => type)).toEqual(['ringing', 'refused', 'ended'])
    }),
  )

  it('goes on with the next verb when the application leaves the stream, and asks the action', () =>
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
      // The hang-up was the application's own: nobody says `stop` to a socket that has gone.
      expect(application.got('stop')).toEqual([])
    }))

  it('signs for the address that the world knows, and calls the one that is really there', () =>
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

describe('the caller', () => {
  it('hears what is played, at the pace at which it sounds, and marks come back when they are heard', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      application.sound(1_000)
      application.mark('end')
      await world.clock.elapse(500)
      expect(call.heardBytes).toBeGreaterThan(3_500)
      expect(call.heardBytes).toBeLessThan(4_200)
      expect(application.got('mark')).toEqual([])
      await world.clock.elapse(600)
      expect(call.heardBytes).toBe(8_000)
      expect(application.got('mark')).toMatchObject([{ mark: { name: 'end' } }])
      const types = call.events.map(({ type }) => type)
      expect(types.slice(4)).toEqual(['speaks', 'mark', 'quiet'])
      application.mark('nothing before it')
      await world.clock.elapse(5)
      expect(application.got('mark')).toHaveLength(2)
      call.abort()
    }))

  it('hears nothing more after clear, and the marks come back at once', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      application.sound(10_000)
      application.mark('a')
      application.sound(1_000)
      application.mark('b')
      await world.clock.elapse(1_000)
      application.send('clear')
      await world.clock.elapse(5)
      expect(application.got('mark')).toMatchObject([{ mark: { name: 'a' } }, { mark: { name: 'b' } }])
      const heard = call.heardBytes
      await world.clock.elapse(1_000)
      expect(call.heardBytes).toBe(heard)
      expect(call.events.find(({ type }) => type === 'cleared')).toMatchObject({
        unheard: expect.closeTo(10_000, -2),
      })
      call.abort()
    }))

  it('speaks in frames, presses keys, and listens until the agent has finished', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      const began = world.clock.now()
      const tone = sine(440, { sampleRate: 16_000, duration: 300 })
      await call.says(tone)
      expect(world.clock.now() - began).toBeGreaterThanOrEqual(280)
      call.press('#')
      await world.clock.elapse(5)
      expect(application.got('dtmf')).toMatchObject([{ dtmf: { track: 'inbound_track', digit: '#' } }])
      const loud = application.got('media').filter(({ media }) => {
        const bytes = Buffer.from((media as { payload: string }).payload, 'base64')
        return bytes.some((byte) => byte !== 0xff)
      })
      expect(loud).toHaveLength(15)
      application.sound(500)
      const listened = call.listens(1_000)
      const asked = world.clock.now()
      await listened
      expect(world.clock.now() - asked).toBeGreaterThanOrEqual(1_480)
      const { channels, sampleRate } = decodeWav(call.heardWav)
      expect(sampleRate).toBe(8000)
      const sounding = channels[0]!.subarray(-8000 * 1.4, -8000 * 1.1)
      expect([level(sounding) > -12, level(channels[0]!.subarray(-8000)) < -60]).toEqual([true, true])
      call.abort()
      await call.says(tone)
    }))
})

describe('the end of a call', () => {
  it('is told with stop and a close frame when the caller hangs up, and then to the status callback', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world, { statusCallback: 'https://example.com/status' })
      await world.clock.elapse(2_000)
      call.hangUp()
      call.hangUp()
      await call.gone()
      expect(application.got('stop')).toMatchObject([{ stop: { callSid: call.sid } }])
      expect(call.events.slice(-2)).toMatchObject([
        { type: 'ended', by: 'caller' },
        { type: 'stream-ended', code: 1000 },
      ])
      expect(application.posts.map(({ url }) => url)).toEqual([WEBHOOK, 'https://example.com/status'])
      expect(application.posts[1]!.body).toContain('CallStatus=completed')
      expect(application.posts[1]!.body).toContain('CallDuration=2')
    }))

  it('can come without stop, without a frame, or not at all', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      const calls = (['without-stop', 'cut', 'silently'] as const).map((leaves) =>
        application.call({ leaves }),
      )
      await world.clock.elapse(100)
      for (const call of calls) call.hangUp()
      await world.clock.elapse(100)
      expect(application.got('stop')).toEqual([])
      expect(application.peers.map(({ open }) => open)).toEqual([false, false, true])
      expect(calls.map(({ open }) => open)).toEqual([0, 0, 1])
      calls[2]!.abort()
    }))

  it('can come at the moment of any event', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      for (const moment of ['ringing', 'answered', 'connected', 'started', 'says'] as const) {
        const call = application.call({ onEvent: ({ type }, self) => type === moment && self.hangUp() })
        await world.clock.elapse(30)
        await call.says(sine(440, { sampleRate: 8000, duration: 300 }))
        await call.gone()
        expect([call.state, call.endedBy]).toEqual(['completed', 'caller'])
      }
      expect(application.carrier.open).toBe(0)
    }))
})

describe('rudeness', () => {
  it('signs wrongly, or not at all', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      const signatures = ({ headers }: { headers?: Readonly<Record<string, string>> }) =>
        headers?.['x-twilio-signature']
      for (const how of ['wrongly', 'never'] as const) {
        const call = application.call({ signs: how, signsStream: how })
        await world.clock.elapse(20)
        call.abort()
      }
      const right = twilioSignature('token', STREAM)
      expect(application.dials.map(signatures)).toEqual([expect.not.stringMatching(right), undefined])
      expect(application.posts.map(signatures)).toEqual([expect.any(String), undefined])
    }))

  it('repeats the webhook, and opens a second stream for the call', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world, { repeats: 2 })
      expect(application.posts.map(({ body }) => new URLSearchParams(body).get('CallSid'))).toEqual([
        call.sid,
        call.sid,
        call.sid,
      ])
      call.joins()
      await world.clock.elapse(20)
      const starts = application
        .got('start')
        .map(({ start }) => start as { callSid: string; streamSid: string })
      expect(starts.map(({ callSid }) => callSid)).toEqual([call.sid, call.sid])
      expect(starts[0]!.streamSid).not.toBe(starts[1]!.streamSid)
      expect(call.open).toBe(2)
      call.abort()
    }))

  it('drops the stream, and does what TwiML says for that', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      const connect = CONNECT.replace('<Connect>', '<Connect action="https://example.com/again">')
      application.twiml = () => (application.posts.length < 3 ? connect : '<Response><Hangup/></Response>')
      const call = application.call()
      await world.clock.elapse(20)
      call.drop()
      await world.clock.elapse(20)
      expect(application.got('start')).toHaveLength(2)
      call.drop()
      await call.gone()
      expect(call.endedBy).toBe('application')
    }))

  it('drops the stream, keeps the caller, and comes back', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      call.dropAndWait()
      await world.clock.elapse(3_000)
      expect([call.state, call.open, application.peers[0]!.open]).toEqual(['in-progress', 0, false])
      call.joins()
      await world.clock.elapse(20)
      expect(application.got('start')).toHaveLength(2)
      application.peers[1]!.close()
      await call.gone()
      expect(call.endedBy).toBe('application')
    }))

  it('never returns marks, or goes silent with the socket open', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world, { returnsMarks: false })
      application.mark('a')
      await world.clock.elapse(1_000)
      expect(application.got('mark')).toEqual([])
      call.goSilent()
      const frames = application.frames.length
      await world.clock.elapse(10_000)
      expect([application.frames.length, call.open, call.state]).toEqual([frames, 1, 'in-progress'])
      call.abort()
    }))

  it('says what it did not understand', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      application.peers[0]!.send('{"event":"media","streamSid":"another"}')
      application.peers[0]!.send('nonsense')
      application.send('media')
      await world.clock.elapse(5)
      expect(call.events.filter(({ type }) => type === 'misunderstood')).toMatchObject([
        { why: 'a frame for another stream' },
        { why: 'no JSON object' },
        { why: 'an event that is unknown or not complete: media' },
      ])
      call.abort()
    }))
})

/** An application on a real port. */
async function listen(): Promise<LoopbackServer> {
  return LoopbackServer.listen({
    http: (_, response) =>
      response.end(`<Response><Connect><Stream url="${server.url}/stream"/></Connect></Response>`),
    serve: () => ({ closeReply: 0 }),
  })
}

let server: LoopbackServer

function rest(carrier: TwilioCarrier, sid: string, body: string, token = carrier.authToken) {
  return new Promise<{ status: number; code?: number }>((resolve, reject) => {
    const url = `${carrier.url}/2010-04-01/Accounts/${carrier.accountSid}/Calls/${sid}.json`
    const auth = `${carrier.accountSid}:${token}`
    const sent = ask(url, { method: 'POST', auth, agent: false }, (response: IncomingMessage) => {
      let text = ''
      response.on('data', (piece: Buffer) => (text += piece.toString()))
      response.once('end', () =>
        resolve({ status: response.statusCode!, ...(JSON.parse(text) as { code?: number }) }),
      )
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

describe('over real sockets', () => {
  it('a call is ended over REST, once; who may not, or names no call, is told so', async () => {
    server = await listen()
    await using carrier = await TwilioCarrier.listen()
    const call = carrier.call(server.url.replace('ws', 'http'))
    await call.until(() => call.events.some(({ type }) => type === 'started'))
    expect(await rest(carrier, call.sid, 'Status=completed', 'wrong')).toMatchObject({
      status: 401,
      code: 20_003,
    })
    expect(await rest(carrier, 'CA0', 'Status=completed')).toMatchObject({ status: 404, code: 20_404 })
    expect(call.over).toBe(false)
    expect(await rest(carrier, call.sid, 'Status=completed')).toMatchObject({
      sid: call.sid,
      status: 'completed',
    })
    await call.gone()
    expect(call.endedBy).toBe('application-by-rest')
    expect(await rest(carrier, call.sid, 'Status=completed')).toMatchObject({ status: 400, code: 21_220 })
    expect(carrier.rest.requests.map(({ status }) => status)).toEqual([401, 404, 200, 400])
    await server.whenIdle()
    await server.close()
  })

  it('the REST API can be down, slow, or refuse', async () => {
    await using carrier = await TwilioCarrier.listen()
    carrier.rest.manners = { down: true }
    await expect(rest(carrier, 'CA0', '')).rejects.toMatchObject({ code: 'ECONNRESET' })
    carrier.rest.manners = { delay: 5, status: 503 }
    expect(await rest(carrier, 'CA0', '')).toMatchObject({ status: 503 })
    carrier.rest.manners = { delay: 'never' }
    const hung = get(`${carrier.url}/`, { agent: false })
    const failed = new Promise((resolve) => hung.once('error', resolve))
    await carrier.until(() => carrier.open === 0)
    hung.destroy()
    await failed
  })

  it.each(['freeze', 'halfClose', 'drop'] as const)('the wire can %s', async (what) => {
    let ended = 0
    let peer: Peer | undefined
    server = await LoopbackServer.listen({
      http: (_, response) =>
        response.end(`<Response><Connect><Stream url="${server.url}/stream"/></Connect></Response>`),
      serve: () => ({ opened: (each) => (peer = each), ended: () => ended++ }),
    })
    await using carrier = new TwilioCarrier()
    const call = carrier.call(server.url.replace('ws', 'http'))
    await call.until(() => call.events.some(({ type }) => type === 'started'))
    call[what]()
    if (what === 'freeze') {
      peer!.close()
      expect(call.open).toBe(1)
      call.abort()
    }
    await server.until(() => ended === 1)
    if (what === 'drop') call.hangUp()
    await call.gone()
    await server.close()
  })

  it('a webhook that is not there fails the call', async () => {
    await using carrier = new TwilioCarrier()
    const call = carrier.call('http://127.0.0.1:9/answer')
    await call.gone()
    expect(call.events[1]).toMatchObject({
      type: 'refused',
      status: 0,
      why: expect.stringContaining('ECONNREFUSED'),
    })
  })
})
