import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { limits as shared } from '../../src/lines/limits.ts'
import { TwilioCalls } from '../../src/lines/twilio/index.ts'
import { limits as phoneLimits } from '../../src/lines/twilio/limits.ts'
import { WebSocketCalls } from '../../src/lines/websocket/index.ts'
import { limits as pageLimits } from '../../src/lines/websocket/limits.ts'
import { offer } from '../../src/lines/websocket/protocol.ts'
import type { Line, LineConnection, LineEvents } from '../../src/parts/index.ts'
import { Scope, systemClock, systemRandom } from '../../src/scope/index.ts'
import { partContext, type TestPartContext } from '../../src/testing/index.ts'
import { streamIn } from './phone.ts'
import { RawCaller } from './raw-caller.ts'

/** An answered call, and what its line emitted. */
interface Answered {
  readonly id: string
  readonly emitted: string[]
  readonly context: TestPartContext
  readonly connection: LineConnection
}

/** A real server for pages and phones. It answers calls with the given events. */
class Server {
  readonly answered: Answered[] = []
  readonly logged: string[] = []
  /** Replaces events of calls that are answered from now on. */
  events: Partial<LineEvents> = {}
  /** Whether calls are answered. */
  answers = true
  readonly #scope = new Scope<string>('server', { phases: ['tasks', 'resources'] })
  readonly #http = createServer()
  readonly #looks = new Set<() => void>()

  readonly #phones: TwilioCalls

  private constructor() {
    const log = (_: object, message: string): void => void this.logged.push(message)
    const logger = { debug: log, info: log, warn: log, error: log }
    const options = {
      maxRate: 1_000,
      scope: this.#scope,
      logger,
      onCall: (line: Line & { id: string }) => this.#answer(line),
    }
    const pages = new WebSocketCalls(options)
    const phones = new TwilioCalls({ ...options, beginsWith: 'stream' })
    this.#phones = phones
    this.#http.on('upgrade', (request, ...rest) => {
      if (phones.concerns(request)) phones.upgrade(request, ...rest)
      else pages.upgrade(request, ...rest)
    })
  }

  static async listen(): Promise<Server> {
    const server = new Server()
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve))
    return server
  }

  /** A page that has called, and is answered unless calls are not. */
  async page(): Promise<RawCaller> {
    const { port } = this.#http.address() as AddressInfo
    const headers = { origin: 'http://localhost:3000', 'sec-websocket-protocol': offer({}).join(', ') }
    const caller = await RawCaller.dial({ port, path: '/call', headers })
    if (!this.answers) return caller
    await this.next()
    caller.says({ type: 'ready', generation: 1, sound: true })
    // Frames are handled in order: the answer to a ping follows what was sent before it.
    caller.pings('')
    await caller.answered(1)
    caller.pongs.pop()
    return caller
  }

  /** A stream that has not said yet which call it belongs to. */
  stream(sid = 'CA1'): Promise<RawCaller> {
    const { port } = this.#http.address() as AddressInfo
    const { body } = this.#phones.webhook({
      method: 'POST',
      url: '/phone/answer',
      headers: { host: 'localhost' },
      address: '127.0.0.1',
      body: `CallSid=${sid}`,
    })
    return RawCaller.dial({ port, path: new URL(streamIn(body)!).pathname })
  }

  /** A phone whose stream has started. */
  async phone(sid: string): Promise<RawCaller> {
    const caller = await this.stream(sid)
    caller.says(startOf(sid))
    await this.next()
    return caller
  }

  call(id: string): Answered | undefined {
    return this.answered.find((each) => each.id === id)
  }

  /** Resolves to the call that is answered next, or was answered and not asked for yet. */
  async next(): Promise<Answered> {
    const index = this.#taken++
    await this.until(() => this.answered.length > index)
    return this.answered[index]!
  }
  #taken = 0

  until(met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!met()) return
        this.#looks.delete(look)
        resolve()
      }
      this.#looks.add(look)
      look()
    })
  }

  async #answer(line: Line & { id: string }): Promise<void> {
    if (!this.answers) return
    const context = partContext({ clock: systemClock, random: systemRandom })
    const emitted: string[] = []
    const emit = (what: string): void => {
      emitted.push(what)
      for (const look of this.#looks) look()
    }
    const connection = await line.open(context, {
      frame: () => emit('frame'),
      marked: () => emit('marked'),
      dtmf: (digit) => emit(`dtmf ${digit}`),
      text: (text) => emit(`text ${text}`),
      hungUp: () => emit('hung up'),
      handedOver: () => emit('handed over'),
      lost: (error) =>
        emit(`lost ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}`),
      ...this.events,
    })
    this.answered.push({ id: line.id, emitted, context, connection })
    for (const look of this.#looks) look()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { context } of this.answered) await context.scope.close()
    await this.#scope.close()
    await new Promise<void>((resolve) => {
      this.#http.close(() => resolve())
      this.#http.closeAllConnections()
    })
  }
}

const startOf = (callSid: string, mediaFormat: object = {}, more: object = {}): object => ({
  event: 'start',
  streamSid: 'MZ1',
  start: {
    callSid,
    accountSid: 'AC1',
    mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1, ...mediaFormat },
    ...more,
  },
})

/** Values that throw, or never end, when they are converted to a number or a text. */
const hostile: readonly unknown[] = [
  { toString: 1 },
  { valueOf: 1, toString: {} },
  { length: 1e9 },
  { toJSON: 1 },
  [[[]]],
  { '': null },
]

describe('what a peer sends', () => {
  it('[LN6] cuts the stream of a phone and nothing else, if its start has fields that cannot be converted', async () => {
    await using server = await Server.listen()
    const good = await server.phone('CA0')
    for (const [i, value] of hostile.entries()) {
      const formats = [{ sampleRate: value }, { channels: value }, { encoding: value }]
      for (const [j, format] of formats.entries()) {
        const bad = await server.stream(`CA${i}${j}`)
        bad.says(startOf(`CA${i}${j}`, format))
        await bad.ended
        expect(server.call(`CA${i}${j}`)?.emitted).toEqual(['lost CARRIER_MISBEHAVED'])
      }
      const odds = [{ callSid: value }, { accountSid: value }, { customParameters: value }]
      for (const [j, more] of odds.entries()) {
        const odd = await server.stream(`CX${i}${j}`)
        odd.says(startOf(`CX${i}${j}`, {}, more))
        odd.says({ event: 'stop' })
        odd.pings('', phoneLimits.opening)
        await odd.ended
      }
    }
    good.says({ event: 'dtmf', dtmf: { digit: '5' } })
    await server.until(() => server.answered[0]!.emitted.includes('dtmf 5'))
    good.abort()
  })

  it('[LN6] cuts a page and nothing else, if its messages have fields of the wrong kind', async () => {
    await using server = await Server.listen()
    const good = await server.page()
    for (const value of hostile)
      for (const message of [
        { type: 'played', at: value },
        { type: 'marked', id: value, heard: value },
        { type: 'text', text: value },
        { type: 'dtmf', digit: value },
        { type: value },
      ]) {
        const bad = await server.page()
        bad.says(message)
        await bad.ended
        expect(server.answered.at(-1)!.emitted).toEqual(['lost PAGE_MISBEHAVED'])
      }
    good.says({ type: 'text', text: 'still here' })
    await server.until(() => server.answered[0]!.emitted.includes('text still here'))
    good.abort()
  })

  it('[LN6] ends the call of the peer and no other, if handling it throws', async () => {
    await using server = await Server.listen()
    const good = await server.page()
    server.events = {
      text: () => {
        throw new RangeError('a listener failed')
      },
      dtmf: () => {
        throw new RangeError('a listener failed')
      },
    }
    const page = await server.page()
    const phone = await server.phone('CA1')
    page.says({ type: 'text', text: 'hello' })
    phone.says({ event: 'dtmf', dtmf: { digit: '5' } })
    await Promise.all([page.ended, phone.ended])
    for (const { emitted } of server.answered.slice(1))
      expect(emitted).toEqual(['lost RangeError: a listener failed'])
    expect(server.logged).toContain('a socket was cut: handling what it sent failed')
    good.says({ type: 'text', text: 'still here' })
    await server.until(() => server.answered[0]!.emitted.includes('text still here'))
    good.abort()
  })

  it('[LN6] does not reach the process, if the session throws when the call is lost', async () => {
    await using server = await Server.listen()
    server.events = {
      lost: () => {
        throw new RangeError('a listener failed')
      },
    }
    const page = await server.page()
    page.says({ type: 'nonsense' })
    await page.ended
    expect(server.answered[0]!.emitted).toEqual([])
  })

  it('[LN8] starts no call, if its name for the call is invalid', async () => {
    await using server = await Server.listen()
    for (const sid of ['../../etc', 'a b', '\u001b[2J', '-rf', 'x'.repeat(201)]) {
      const stream = await server.stream()
      for (let i = 0; i < phoneLimits.opening; i++) stream.says(startOf(sid))
      await stream.ended
    }
    expect(server.answered).toEqual([])
  })
})

describe('typed texts and keys', () => {
  it('[LN7] have a budget of their own, because each may become a turn', async () => {
    await using server = await Server.listen()
    const page = await server.page()
    const phone = await server.phone('CA1')
    for (let i = 0; i < 2 * shared.typed.burst; i++) {
      page.says({ type: 'text', text: 'How are you?' })
      phone.says({ event: 'dtmf', dtmf: { digit: '5' } })
    }
    await Promise.all([page.ended, phone.ended])
    for (const [index, code] of ['PAGE_MISBEHAVED', 'CARRIER_MISBEHAVED'].entries()) {
      const { emitted } = server.answered[index]!
      expect(emitted.at(-1)).toBe(`lost ${code}`)
      expect(emitted.length).toBeLessThan(1.5 * shared.typed.burst)
    }
  })
})

describe('control frames', () => {
  it('[LN7] are answered as long as the caller reads', async () => {
    await using server = await Server.listen()
    const page = await server.page()
    page.pings('one')
    page.pings('two')
    await page.answered(2)
    expect(page.pongs).toEqual(['one', 'two'])
    page.abort()
  })

  it.each(['pings', 'sendsPongs'] as const)('[LN7] spend the budget of messages (%s)', async (flood) => {
    await using server = await Server.listen()
    const page = await server.page()
    const phone = await server.phone('CA1')
    const most = Math.max(pageLimits.messages.burst, phoneLimits.messages.burst)
    for (const caller of [page, phone])
      if (flood === 'pings') caller.pings('', 2 * most)
      else caller.sendsPongs(2 * most)
    await Promise.all([page.ended, phone.ended])
    expect(server.answered.map(({ emitted }) => emitted)).toEqual([
      ['lost PAGE_MISBEHAVED'],
      ['lost CARRIER_MISBEHAVED'],
    ])
  })

  it('[LN7] spend the budget also before the call is answered, and before a stream has started', async () => {
    await using server = await Server.listen()
    server.answers = false
    const page = await server.page()
    const stream = await server.stream()
    page.pings('', 2 * pageLimits.messages.burst)
    stream.pings('', phoneLimits.opening)
    await Promise.all([page.ended, stream.ended])
    expect(server.answered).toEqual([])
  })

  it('[LN7] from a caller who does not read are not answered, so that nothing piles up', async () => {
    await using server = await Server.listen()
    const page = await server.page()
    const { connection, emitted } = server.answered[0]!
    page.stopsReading()
    // Marks are sent at once: with them, the socket holds more than it may.
    for (let id = 0; id < 1_000; id++) connection.mark(id)
    const bufferedBy = (): number => (connection as unknown as { peer: { buffered: number } }).peer.buffered
    const before = bufferedBy()
    page.pings('x'.repeat(120), 500)
    page.says({ type: 'text', text: 'done' })
    await server.until(() => emitted.includes('text done'))
    expect(bufferedBy()).toBeLessThanOrEqual(Math.max(before, shared.congested) + 200)
    page.abort()
  })
})

it('[LN7] a caller who leaves too much unread is cut', async () => {
  await using server = await Server.listen()
  const page = await server.page()
  page.stopsReading()
  // A clear is sent at once, however much is unread.
  for (let i = 0; i < 100_000; i++) server.answered[0]!.connection.clear()
  page.readsAgain()
  await page.ended
})
