import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { silence } from '../../audio/index.ts'
import type { SttEvents, SttStream } from '../../parts/index.ts'
import {
  conformance,
  inVirtualTime,
  partContext,
  soundOf,
  sttConformance,
  type TestPartContext,
  type World,
} from '../../testing/index.ts'
import { DeepgramServer, type DeepgramServerOptions } from '../../testing/servers/index.ts'
import { DeepgramStt, MissingKeyError, type DeepgramSttOptions } from './index.ts'

const KEY = 'dg-secret-0123456789'

conformance({ describe, it }, 'Deepgram on a simulated network', sttConformance, ({ clock, network }) => {
  const server = new DeepgramServer({ clock, key: KEY })
  network!.serve = server.serve
  return {
    stt: new DeepgramStt({ apiKey: KEY }),
    hear: (text) => server.hear(text),
    refuses: () => {
      server.manners.refuse = 401
    },
    breaks: () => {
      server.manners.refuse = 503
      server.drop()
    },
  }
})

interface Listening {
  readonly server: DeepgramServer
  readonly context: TestPartContext
  readonly stream: SttStream
  readonly told: string[]
  readonly say: (text: string) => void
  readonly quiet: (ms: number) => void
}

async function listen(
  world: World,
  options: DeepgramSttOptions = {},
  manners: DeepgramServerOptions = {},
): Promise<Listening> {
  const server = new DeepgramServer({ clock: world.clock, key: KEY, ...manners })
  world.network.serve = server.serve
  const context = partContext(world)
  const told: string[] = []
  const stt = new DeepgramStt({ apiKey: KEY, ...options })
  const events: SttEvents = {
    interim: (text) => told.push(`interim ${text}`),
    final: (text) => told.push(`final ${text}`),
    endOfTurn: () => told.push('end of turn'),
    failed: (error) => told.push(`failed ${String(error)}`),
  }
  const stream = await stt.open(context, events).catch(async (error: unknown) => {
    await context.scope.close()
    throw error
  })
  const say = (text: string): void => stream.push(soundOf(text, stt.sampleRate, 50))
  const quiet = (ms: number): void => stream.push(silence(ms, stt.sampleRate))
  return { server, context, stream, told, say, quiet }
}

describe('the options of Deepgram', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('become its query', () =>
    inVirtualTime(async (world) => {
      const plain = await listen(world)
      expect(Object.fromEntries(plain.server.sessions[0]!.query)).toEqual({
        model: 'nova-3',
        encoding: 'linear16',
        sample_rate: '16000',
        channels: '1',
        interim_results: 'true',
        smart_format: 'true',
      })
      await plain.context.scope.close()
      const other = await listen(world, {
        url: 'wss://proxy.example.com/',
        model: 'nova-2',
        language: 'de',
        sampleRate: 8_000,
        interimResults: false,
        smartFormat: false,
        endpointing: false,
        utteranceEnd: 1_500,
        query: { numerals: true, keyterm: 'Bright Dental' },
      })
      expect(Object.fromEntries(other.server.sessions[0]!.query)).toEqual({
        model: 'nova-2',
        encoding: 'linear16',
        sample_rate: '8000',
        channels: '1',
        interim_results: 'false',
        smart_format: 'false',
        language: 'de',
        endpointing: 'false',
        utterance_end_ms: '1500',
        numerals: 'true',
        keyterm: 'Bright Dental',
      })
      expect(other.server.dials[0]?.url).toMatch(/^wss:\/\/proxy\.example\.com\/v1\/listen\?/)
      await other.context.scope.close()
    }))

  it('need a key, before anything is opened', () => {
    vi.stubEnv('DEEPGRAM_API_KEY', '')
    expect(() => new DeepgramStt()).toThrow(MissingKeyError)
    expect(() => new DeepgramStt()).toThrow('DEEPGRAM_API_KEY')
    vi.stubEnv('DEEPGRAM_API_KEY', KEY)
    expect(new DeepgramStt().name).toBe('deepgram')
  })

  it('never show the key', () =>
    inVirtualTime(async (world) => {
      const { stream, context } = await listen(world)
      const stt = new DeepgramStt({ apiKey: KEY })
      for (const thing of [stt, stream, context.scope.inspect().tree]) {
        expect(inspect(thing, { depth: 9, showHidden: true })).not.toContain(KEY)
        expect(JSON.stringify(thing)).not.toContain(KEY)
      }
      await context.scope.close()
      const refused = await listen(world, { apiKey: `${KEY}-wrong` }).catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'LINK_REFUSED', end: { status: 401 } })
      expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain(KEY)
    }))
})

describe('Deepgram', () => {
  it('tells words as they are understood, and when they are final', () =>
    inVirtualTime(async (world) => {
      const { told, say, quiet, context } = await listen(world, { endpointing: 300 })
      say('Good ')
      say('morning.')
      quiet(300)
      await world.clock.elapse(50)
      expect(told).toEqual(['interim Good', 'interim Good morning.', 'final Good morning.'])
      await context.scope.close()
    }))

  it('says when a turn has ended, once, if it is to', () =>
    inVirtualTime(async (world) => {
      const { told, say, quiet, context } = await listen(world, {
        endsTurns: true,
        interimResults: false,
        utteranceEnd: 1_000,
      })
      say('Yes.')
      quiet(1_200)
      quiet(1_200)
      await world.clock.elapse(50)
      expect(told).toEqual(['final Yes.', 'end of turn'])
      await context.scope.close()
    }))

  it('takes back a guess of which nothing comes', () =>
    inVirtualTime(async (world) => {
      const { told, server, context } = await listen(world)
      const results = (transcript: string, is_final: boolean): string =>
        JSON.stringify({ type: 'Results', is_final, channel: { alternatives: [{ transcript }] } })
      const [session] = server.open
      session?.connection.send(results('Uh', false))
      session?.connection.send(results('', true))
      session?.connection.send(results('', true))
      for (const type of ['SomethingNew', 'Results']) session?.connection.send(JSON.stringify({ type }))
      await world.clock.elapse(50)
      expect(told).toEqual(['interim Uh', 'interim '])
      await context.scope.close()
    }))

  it('keeps its connection while nobody speaks', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await listen(world)
      await world.clock.elapse(60_000)
      expect(server.open).toHaveLength(1)
      expect(new Set(server.sessions[0]?.controls)).toEqual(new Set(['KeepAlive']))
      expect(world.network.dials).toBe(1)
      await context.scope.close()
    }))

  it('never sends an empty frame, which would be read as the end', () =>
    inVirtualTime(async (world) => {
      const { stream, server, context } = await listen(world)
      stream.push({ samples: new Int16Array(0), sampleRate: 16_000 })
      await world.clock.elapse(50)
      expect(server.open).toHaveLength(1)
      await context.scope.close()
    }))

  it('ends with the last words and an acknowledgement', () =>
    inVirtualTime(async (world) => {
      const { told, say, server, context } = await listen(world, { interimResults: false }, { thinks: 500 })
      say('Goodbye')
      const report = await context.scope.close()
      expect(told).toEqual(['final Goodbye'])
      expect(server.sessions[0]?.controls).toEqual(['CloseStream'])
      expect(context.connections).toMatchObject([
        { name: 'deepgram', how: 'acknowledged', code: 1000, retries: 0 },
      ])
      expect(report.clean).toBe(true)
    }))

  it('is acknowledged to have ended when no more audio comes, and hears nothing after it', () =>
    inVirtualTime(async (world) => {
      const { told, say, stream, server, context } = await listen(
        world,
        { interimResults: false },
        { rude: ['talks on'] },
      )
      say('Goodbye')
      stream.detach()
      say('and another thing')
      stream.flush()
      await world.clock.elapse(100)
      expect(told).toEqual(['final Goodbye'])
      expect(context.connections).toMatchObject([{ how: 'acknowledged' }])
      expect(server.open).toEqual([])
      await context.scope.close()
      expect(world.network.dials).toBe(1)
    }))

  it.each<[what: string, manners: DeepgramServerOptions, how: string]>([
    ['CloseStream', { rude: ['ignores CloseStream'] }, 'closed'],
    ['the close frame', { ignoresClose: true, rude: ['ignores CloseStream'] }, 'aborted'],
  ])('is closed on time also by a server that ignores %s', (_, manners, how) =>
    inVirtualTime(async (world) => {
      const { context } = await listen(world, {}, manners)
      const report = await context.scope.close()
      expect(report.took).toBeLessThanOrEqual(4_000)
      expect(context.connections).toMatchObject([{ how }])
      expect(world.network.sockets.list()).toEqual([])
    }),
  )

  it('goes on after a drop: what was told is not repeated, what was guessed becomes final', () =>
    inVirtualTime(async (world) => {
      const { told, say, stream, server, context } = await listen(world, { endpointing: false })
      say('One ')
      stream.flush()
      say('two ')
      await world.clock.elapse(50)
      server.drop()
      say('three ')
      await world.clock.elapse(2_000)
      stream.flush()
      await world.clock.elapse(50)
      expect(told.filter((each) => each.startsWith('final'))).toEqual([
        'final One',
        'final two',
        'final three',
      ])
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'acknowledged', retries: 1 }])
    }))

  it('keeps so much audio and no more while there is no connection', () =>
    inVirtualTime(async (world) => {
      const { quiet, server, context } = await listen(world)
      server.manners.connect = 3_000
      server.drop()
      for (let ms = 0; ms < 60_000; ms += 20) quiet(20)
      await world.clock.elapse(10_000)
      expect(server.sessions.at(-1)?.audio).toBe(5_000)
      await context.scope.close()
    }))

  it('sleeps when the service has closed an idle connection, until somebody speaks', () =>
    inVirtualTime(async (world) => {
      const { told, say, quiet, stream, server, context } = await listen(world, { interimResults: false })
      server.close(1011, 'NET-0001')
      await world.clock.elapse(60_000)
      for (let ms = 0; ms < 10_000; ms += 20) quiet(20)
      stream.flush()
      await world.clock.elapse(10_000)
      expect(world.network.dials).toBe(1)
      say('Hello?')
      stream.flush()
      await world.clock.elapse(100)
      expect(world.network.dials).toBe(2)
      expect(told).toEqual(['final Hello?'])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'acknowledged', retries: 0 }])
    }))

  it('fails at once when the service cannot read its audio', () =>
    inVirtualTime(async (world) => {
      const { told, server, context } = await listen(world)
      server.close(1008, 'DATA-0000')
      await world.clock.elapse(50)
      expect(told).toEqual([
        `failed LinkError: link 'deepgram' cannot go on: closed with 1008 "DATA-0000". Check the options against the provider's reason.`,
      ])
      expect(world.network.dials).toBe(1)
      await context.scope.close()
    }))

  it('fails in the end when all it gets is nonsense', () =>
    inVirtualTime(async (world) => {
      const { told, say, context } = await listen(world, {}, { rude: ['garbles'] })
      for (let turn = 0; turn < 60 && told.length === 0; turn++) {
        say('Hello?')
        await world.clock.elapse(1_000)
      }
      expect(told).toHaveLength(1)
      expect(told[0]).toContain('LinkError')
      await context.scope.close()
    }))
})
