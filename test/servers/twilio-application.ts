import { encodeMuLaw, sine } from '../../src/audio/index.ts'
import type { DialRequest } from '../../src/scope/index.ts'
import type { Peer, World } from '../../src/testing/index.ts'
import {
  TwilioCarrier,
  type TwilioCallOptions,
  type TwilioCarrierOptions,
} from '../../src/testing/servers/index.ts'
import type { FormPost } from '../../src/testing/servers/twilio-post.ts'

export const WEBHOOK = 'https://example.com/answer'
export const STREAM = 'wss://example.com/stream'
export const CONNECT = `<Response><Connect><Stream url="${STREAM}"><Parameter name="a" value="1 &amp; 2"/></Stream></Connect></Response>`

export interface Frame {
  readonly event: string
  readonly streamSid?: string
  readonly sequenceNumber?: string
  readonly [field: string]: unknown
}

/** The application that is called: its webhook and its side of the stream. */
export class Application {
  readonly posts: FormPost[] = []
  readonly dials: DialRequest[] = []
  readonly frames: Frame[] = []
  readonly peers: Peer[] = []
  readonly carrier: TwilioCarrier
  twiml: (post: FormPost) => string | number | Promise<string> = () => CONNECT

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
        const answer = await this.twiml(post)
        return typeof answer === 'number' ? { status: answer, body: '' } : { status: 200, body: answer }
      },
      ...options,
    })
  }

  call(options?: TwilioCallOptions) {
    return this.carrier.call(WEBHOOK, options)
  }

  /** Sends a message on the newest stream. */
  send(event: string, more: object = {}): void {
    const { streamSid } = this.frames.findLast(({ event: each }) => each === 'start')!
    this.peers.at(-1)!.send(JSON.stringify({ event, streamSid, ...more }))
  }

  /** Sends a tone of this many milliseconds. */
  sound(ms: number): void {
    const bytes = encodeMuLaw(sine(440, { sampleRate: 8000, duration: ms }).samples)
    this.send('media', { media: { payload: Buffer.from(bytes).toString('base64') } })
  }

  mark(name: string): void {
    this.send('mark', { mark: { name } })
  }

  /** Sends a form to the REST API, as Twilio takes it. */
  rest(path: string, form: Readonly<Record<string, string | readonly string[]>> = {}, method = 'POST') {
    const fields = Object.entries(form).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    )
    const { accountSid, authToken, fetch } = this.carrier
    const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
    const url = `https://api.twilio.com/2010-04-01/Accounts/${accountSid}/${path}`
    return answerOf(
      fetch(url, {
        method,
        headers: { authorization },
        ...(method === 'GET' ? {} : { body: new URLSearchParams(fields) }),
      }),
    )
  }

  /** Sends JSON to the REST API, as Telnyx takes it. */
  telnyx(path: string, body: object = {}) {
    const { authToken, fetch } = this.carrier
    const headers = { authorization: `Bearer ${authToken}`, 'content-type': 'application/json' }
    return answerOf(
      fetch(`https://api.telnyx.com/v2/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
    )
  }

  /** The forms that were posted to a URL. */
  forms(url: string): Record<string, string>[] {
    return this.posts.filter((post) => post.url === url).map(formOf)
  }

  /** The frames received with this event. */
  received(event: string): Frame[] {
    return this.frames.filter((frame) => frame.event === event)
  }
}

async function answerOf(response: Promise<Response>): Promise<Record<string, unknown> & { http: number }> {
  const { status, json } = await response.then(async (each) => ({
    status: each.status,
    json: (each.status === 204 ? {} : await each.json()) as Record<string, unknown>,
  }))
  return { ...json, http: status }
}

/** The fields of a posted form. */
export function formOf({ body }: FormPost): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body))
}

/** Places a call and waits for its stream. */
export async function connected(world: World, options?: TwilioCallOptions) {
  const application = new Application(world)
  const call = application.call(options)
  await world.clock.elapse(20)
  return { application, call }
}
