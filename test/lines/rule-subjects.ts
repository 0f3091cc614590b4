import { TwilioCalls } from '../../src/lines/twilio/index.ts'
import { WebSocketCalls } from '../../src/lines/websocket/index.ts'
import type { Platform } from '../../src/lines/websocket/client/wire.ts'
import { offer } from '../../src/lines/websocket/protocol.ts'
import { wsNetwork } from '../../src/link/index.ts'
import type { LineEvents } from '../../src/parts/index.ts'
import { soundOf, type Stage } from '../../src/testing/index.ts'
import type { MakeClientLine } from './client-lines.ts'
import { wordsFrom } from './fixture.ts'
import { TestPage } from './page.ts'
import { streamIn, TestPhone, type Post } from './phone.ts'
import { phoneSoundOf } from './phone-sound.ts'
import { RtviTestClient, type ClientWires } from './rtvi-client.ts'
import { localPage } from './rtvi-fixture.ts'
import { RealWires, type RealServer } from './real-wires.ts'
import type { Open, RuleCaller, RuleSubject } from './rules.ts'
import { SimWires, type Dial } from './sim-wires.ts'
import { signatureOf } from './twilio-signature.ts'

const rejoinTimeout = 6_000
const lostTimeout = 5_000
const secret = 'a secret of sixteen'
const publicUrl = 'https://phone.example.com'

/** A network between callers and a server. */
interface Wires extends Omit<Platform, 'connect'>, ClientWires {
  broken: boolean
  cut(): void
  vanish(): void
}

interface Environment {
  readonly wires: Wires
  readonly url: string
  readonly post: Post
  /** Dials with these headers. Resolves when the dial has failed. */
  readonly failsToDial: (
    path: string,
    headers: Readonly<Record<string, string>>,
    protocols?: readonly string[],
  ) => Promise<void>
}

export type SetUp = (stage: Stage, server: RealServer, dial: Dial) => Promise<Environment> | Environment

/** Simulated sockets: `dial` refuses what a server would refuse, so there is nothing to dial. */
export const simulated: SetUp = (stage, _, dial) => ({
  wires: new SimWires(stage, dial),
  url: 'ws://localhost',
  post: () => Promise.reject(new Error('there is no HTTP here')),
  failsToDial: async () => {},
})

export const real =
  (opened: RealWires[]): SetUp =>
  async (stage, server) => {
    const wires = await RealWires.listen(stage.clock, server)
    opened.push(wires)
    const failsToDial: Environment['failsToDial'] = (path, headers, protocols = []) =>
      new Promise((resolve) => {
        wsNetwork.dial(
          { name: 'stranger', url: `${wires.url}${path}`, headers, protocols },
          { opened() {}, message() {}, ended: () => resolve() },
        )
      })
    return { wires, url: wires.url, post: wires.post, failsToDial }
  }

const noEvents: LineEvents = {
  frame() {},
  marked() {},
  dtmf() {},
  text() {},
  hungUp() {},
  lost() {},
  handedOver() {},
}

/** Answers calls one after the other, each as its test wants. */
class Answers {
  count = 0
  readonly #waiting: ((open: Open) => Promise<void>)[] = []

  expect(answer: (open: Open) => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push((open) => answer(open).then(resolve, reject))
    })
  }

  readonly take = (line: { readonly open: Open }): Promise<void> => {
    this.count++
    const answer = this.#waiting.shift()
    return answer ? answer((context, events) => line.open(context, events)) : Promise.resolve()
  }
}

/** The browser line. */
export const pageSubject =
  (setUp: SetUp) =>
  async (stage: Stage): Promise<RuleSubject> => {
    const answers = new Answers()
    const { scope } = stage.context()
    const calls = new WebSocketCalls({ scope, secret, rejoinTimeout, lostTimeout, onCall: answers.take })
    const stranger = new WebSocketCalls({ scope, secret: 'another secret, of more', onCall: () => {} })
    const origin = 'http://localhost:3000'
    const admit = (protocols: readonly string[]): ReturnType<WebSocketCalls['admit']> =>
      calls.admit({ origin, headers: { host: 'localhost' }, address: '127.0.0.1', url: '/call', protocols })
    const { wires, url, failsToDial } = await setUp(
      stage,
      { upgrade: (...upgrade) => calls.upgrade(...upgrade) },
      (_, protocols) => {
        const { accept, refused } = admit(protocols)
        return accept ? { accept } : { code: 4400, reason: refused }
      },
    )
    const page = (options = {}): TestPage => new TestPage(stage.clock, wires, `${url}/call`, options)
    const refuse = (token?: string) => (): Promise<void> => {
      const protocols = offer({ token })
      if (!admit(protocols).refused) throw new Error('it was admitted')
      return failsToDial('/call', { origin }, protocols)
    }
    const pages = new Map<RuleCaller, TestPage>()
    return {
      rejoinTimeout,
      lostTimeout,
      soundOf: (text) => soundOf(text, 16_000, 50),
      answered: () => answers.count,
      call: async (answer) => {
        const one = page({ token: calls.token() })
        const answered = answers.expect(answer)
        one.wire.connect()
        await answered
        await one.until(() => one.hello !== undefined)
        const caller: RuleCaller = {
          hangsUp: () => one.wire.hangUp(),
          vanishes: () => {
            wires.vanish()
            one.freezes()
          },
          says: (ms) => one.says(ms),
          get words() {
            return wordsFrom(one)
          },
          ended: () => one.until(() => one.over),
        }
        pages.set(caller, one)
        return caller
      },
      breaks: () => {
        wires.broken = true
        wires.cut()
      },
      mends: () => void (wires.broken = false),
      replaces: async (caller) => {
        const old = pages.get(caller)!
        const next = page({ ticket: old.wire.ticket! })
        next.wire.connect()
        await next.until(() => next.hello !== undefined)
        await stage.elapse(50)
        return { old: { says: () => old.says(100) } }
      },
      strangers: {
        'a page without a token': refuse(),
        'a page with a token of its own': refuse(stranger.token()),
        'a page whose token has expired': refuse(calls.token({ expiresIn: -1 })),
      },
      friend: async () => {
        const one = page({ token: calls.token() })
        const answered = answers.expect(async (open) => {
          await open(stage.context(), noEvents)
        })
        one.wire.connect()
        await answered
      },
    }
  }

/** The phone line. */
export const phoneSubject =
  (setUp: SetUp) =>
  async (stage: Stage): Promise<RuleSubject> => {
    const answers = new Answers()
    const { scope } = stage.context()
    const calls = new TwilioCalls({
      scope,
      authToken: secret,
      publicUrl,
      rejoinTimeout,
      lostTimeout,
      onCall: answers.take,
      fetch: () => Promise.resolve(new Response('{}')),
    })
    const signed = (token: string, address: string): Record<string, string> => ({
      'x-twilio-signature': signatureOf(
        token,
        `${publicUrl.replace('http', 'ws')}${new URL(address).pathname}`,
      ),
    })
    const admit = (address: string, headers: Record<string, string>): ReturnType<TwilioCalls['admit']> =>
      calls.admit({ method: 'GET', url: new URL(address).pathname, headers, address: '10.0.0.7', body: '' })
    const environment = await setUp(
      stage,
      {
        upgrade: (...upgrade) => calls.upgrade(...upgrade),
        request: (...request) => calls.request(...request),
        headers: (address) => signed(secret, address),
      },
      (address) => {
        const { accept, refused } = admit(address, signed(secret, address))
        return accept ? { accept } : { code: 1006, reason: refused }
      },
    )
    const { wires, failsToDial } = environment
    const isReal = wires instanceof RealWires
    const posts =
      (token: string): Post =>
      async (path, form) => {
        const headers = { 'x-twilio-signature': signatureOf(token, `${publicUrl}${path}`, form) }
        if (wires instanceof RealWires) return await wires.post(path, form, headers)
        if (wires.broken) throw new Error('the network is broken')
        const body = new URLSearchParams(form).toString()
        return calls.webhook({ method: 'POST', url: path, headers, address: '10.0.0.7', body })
      }
    // The carrier dials the public address, which leads to this server.
    const local: Platform = {
      connect: (url, ...rest) => wires.connect(url.replace(/^wss:\/\/[^/]+/, environment.url), ...rest),
      after: (...args) => wires.after(...args),
      random: () => wires.random(),
    }
    const phones = new Map<RuleCaller, TestPhone>()
    const refuseStream = (sign: (address: string) => Record<string, string>) => async (): Promise<void> => {
      // Given out by another process, so that there is no call here.
      const others = new TwilioCalls({ scope, authToken: secret, publicUrl, onCall: () => {} })
      const form = { CallSid: 'CA1' }
      const signature = signatureOf(secret, `${publicUrl}/phone/answer`, form)
      const { body } = others.webhook({
        method: 'POST',
        url: '/phone/answer',
        headers: { 'x-twilio-signature': signature },
        address: '10.0.0.7',
        body: new URLSearchParams(form).toString(),
      })
      const address = streamIn(body)!
      const headers = sign(address)
      if (admit(address, headers).refused !== 'NOT_THE_CARRIER') throw new Error('it was admitted')
      return failsToDial(new URL(address).pathname, headers)
    }
    return {
      rejoinTimeout,
      lostTimeout,
      soundOf: phoneSoundOf,
      answered: () => answers.count,
      call: async (answer) => {
        const phone = new TestPhone(stage.clock, local, posts(secret))
        const answered = answers.expect(answer)
        await phone.rings()
        await answered
        const caller: RuleCaller = {
          hangsUp: () => phone.hangsUp(),
          vanishes: () => phone.vanishes(),
          says: (ms) => phone.says(ms),
          get words() {
            return phone.words
          },
          ended: () => phone.until(() => phone.over),
        }
        phones.set(caller, phone)
        return caller
      },
      breaks: () => {
        wires.broken = true
        wires.cut()
      },
      mends: () => void (wires.broken = false),
      replaces: async (caller) => {
        const phone = phones.get(caller)!
        const old = phone.replacesStream(await phone.streamAddress())
        await (isReal ? old.closed : stage.elapse(10))
        return { old }
      },
      strangers: {
        'a webhook without a signature': () =>
          isReal
            ? wires.post('/phone/answer', { CallSid: 'CA1' })
            : Promise.resolve(
                calls.webhook({
                  method: 'POST',
                  url: '/phone/answer',
                  headers: {},
                  address: '127.0.0.1',
                  body: 'CallSid=CA1',
                }),
              ),
        'a webhook with a signature of its own': () => posts('another')('/phone/answer', { CallSid: 'CA1' }),
        'a stream without a signature': refuseStream(() => ({})),
        'a stream with a signature of its own': refuseStream((address) => signed('another', address)),
      },
      friend: async () => {
        const phone = new TestPhone(stage.clock, local, posts(secret))
        const answered = answers.expect(async (open) => {
          await open(stage.context(), noEvents)
        })
        await phone.rings()
        await answered
      },
    }
  }

/** A line for RTVI clients. */
export const clientSubject =
  (make: MakeClientLine, setUp: SetUp) =>
  async (stage: Stage): Promise<RuleSubject> => {
    const answers = new Answers()
    const { scope } = stage.context()
    const line = make({ scope, secret, lostTimeout, onCall: answers.take })
    const stranger = make({ scope, secret, onCall: () => {} })
    const { carrier } = line
    const { wires, url, failsToDial } = await setUp(stage, { upgrade: line.upgrade }, line.dial)
    const call = async (answer: (open: Open) => Promise<void>): Promise<RtviTestClient> => {
      const answered = answers.expect(answer)
      const address = `${url}${await line.start()}`
      const client = new RtviTestClient(stage.clock, wires, address, carrier ? { carrier } : {})
      await answered
      // Its session is not there to say that it is ready: sound may be sent once the client is.
      await stage.elapse(100)
      return client
    }
    const refuse = (path: () => Promise<string>) => async (): Promise<void> => {
      const dialled = await path()
      if (line.dial(`${url}${dialled}`, []).accept) throw new Error('it was admitted')
      return failsToDial(dialled, { origin: localPage.origin })
    }
    return {
      // Nobody comes back: whoever is cut off is lost.
      rejoinTimeout: 0,
      lostTimeout,
      soundOf: (text) => soundOf(text, 24_000, 50),
      answered: () => answers.count,
      call: async (answer) => {
        const client = await call(answer)
        return {
          hangsUp: () => client.leaves(),
          vanishes: () => {
            wires.vanish()
            client.freezes()
          },
          says: (ms) => client.speaks(ms),
          get words() {
            return client.words
          },
          ended: () => client.until(() => client.end !== undefined),
        }
      },
      breaks: () => {
        wires.broken = true
        wires.cut()
      },
      mends: () => void (wires.broken = false),
      replaces: () => Promise.reject(new Error('a client of this line cannot come back')),
      strangers: {
        'a client without a token': refuse(async () => (await line.start()).replace(/\?.*/, '')),
        'a client with a token of its own': refuse(() => stranger.start()),
      },
      friend: () =>
        call(async (open) => {
          await open(stage.context(), noEvents)
        }),
    }
  }
