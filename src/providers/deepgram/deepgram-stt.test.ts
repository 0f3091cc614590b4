import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { silence } from '../../audio/index.ts'
import { noSttEvents, type SttEvents, type SttStream } from '../../parts/index.ts'
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
import { DeepgramStt, MissingKeyError, type DeepgramSttOptions, type LinkError } from './index.ts'

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
  readonly log: string[]
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
  const log: string[] = []
  const stt = new DeepgramStt({ apiKey: KEY, ...options })
  const events: SttEvents = {
    ...noSttEvents,
    interim: (text) => log.push(`interim ${text}`),
    final: (text) => log.push(`final ${text}`),
    endOfTurn: () => log.push('end of turn'),
    failed: (error) => {
      const { code, end } = error as LinkError
      log.push(`failed ${code} ${end?.code} ${end?.reason}`)
    },
  }
  const stream = await stt.open(context, events).catch(async (error: unknown) => {
    await context.scope.close()
    throw error
  })
  const say = (text: string): void => stream.push(soundOf(text, stt.hears[0]!.sampleRate, 50))
  const quiet = (ms: number): void => stream.push(silence(ms, stt.hears[0]!.sampleRate))
  return { server, context, stream, log, say, quiet }
}

describe('DeepgramStt options', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('become query parameters', () =>
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
        endsTurns: true,
        extra: { numerals: true, redact: ['pci', 'ssn'], model: 'nova-2' },
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
        redact: 'ssn',
        vad_events: 'true',
      })
      expect(other.server.sessions[0]!.query.getAll('redact')).toEqual(['pci', 'ssn'])
      expect(other.server.dials[0]?.url).toMatch(/^wss:\/\/proxy\.example\.com\/v1\/listen\?/)
      await other.context.scope.close()
    }))

  it('may name several key terms, besides those of the agent in charge', () =>
    inVirtualTime(async (world) => {
      const server = new DeepgramServer({ clock: world.clock, key: KEY })
      world.network.serve = server.serve
      const context = partContext(world)
      const stt = new DeepgramStt({ apiKey: KEY, keyTerms: ['Bright Dental', 'Dr. Ng'] })
      const setup = { format: stt.hears[0]!, keyTerms: ['crown'] }
      const stream = await stt.open(context, noSttEvents, setup)
      stream.configure({ keyTerms: ['bill'] })
      server.drop()
      await world.clock.elapse(2_000)
      expect(server.sessions.map(({ query }) => query.getAll('keyterm'))).toEqual([
        ['Bright Dental', 'Dr. Ng', 'crown'],
        ['Bright Dental', 'Dr. Ng', 'bill'],
      ])
      await context.scope.close()
    }))

  it('must include a key, or the constructor throws', () => {
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
  it('emits the start of speech, and final texts with words, times, confidence, language and speaker', () =>
    inVirtualTime(async (world) => {
      const server = new DeepgramServer({ clock: world.clock, key: KEY, language: 'en', speaker: 2 })
      world.network.serve = server.serve
      const context = partContext(world)
      const stt = new DeepgramStt({ apiKey: KEY, speechStarted: true, endpointing: 300 })
      const log: unknown[] = []
      const stream = await stt.open(context, {
        ...noSttEvents,
        started: () => log.push('started'),
        final: (text, details) => log.push([text, details]),
      })
      stream.push(silence(1_000, 16_000))
      stream.push(soundOf('Good morning.', 16_000, 50))
      stream.push(silence(400, 16_000))
      await world.clock.elapse(100)
      const words = [
        { text: 'Good', start: 1_000, end: 1_650, confidence: 1 },
        { text: 'morning.', start: 1_000, end: 1_650, confidence: 1 },
      ]
      const details = { confidence: 1, language: 'en', speaker: '2', words }
      expect(log).toEqual(['started', ['Good morning.', details]])
      server.drop()
      await world.clock.elapse(2_000)
      stream.push(soundOf('Yes.', 16_000, 50))
      stream.flush()
      await world.clock.elapse(100)
      // Times count from the start of the stream, over all its connections.
      expect(log.at(-1)).toMatchObject(['Yes.', { words: [{ text: 'Yes.', start: 2_050, end: 2_250 }] }])
      await context.scope.close()
    }))

  it('emits interim transcripts and then the final one', () =>
    inVirtualTime(async (world) => {
      const { log, say, quiet, context } = await listen(world, { endpointing: 300 })
      say('Good ')
      say('morning.')
      quiet(300)
      await world.clock.elapse(50)
      expect(log).toEqual(['interim Good', 'interim Good morning.', 'final Good morning.'])
      await context.scope.close()
    }))

  it('emits the end of a turn once with `endsTurns`', () =>
    inVirtualTime(async (world) => {
      const { log, say, quiet, context } = await listen(world, {
        endsTurns: true,
        interimResults: false,
        utteranceEnd: 1_000,
      })
      say('Yes.')
      quiet(1_200)
      quiet(1_200)
      await world.clock.elapse(50)
      expect(log).toEqual(['final Yes.', 'end of turn'])
      await context.scope.close()
    }))

  it('withdraws an interim transcript when the final one is empty', () =>
    inVirtualTime(async (world) => {
      const { log, server, context } = await listen(world)
      const results = (transcript: string, is_final: boolean): string =>
        JSON.stringify({ type: 'Results', is_final, channel: { alternatives: [{ transcript }] } })
      const [session] = server.open
      session?.connection.send(results('Uh', false))
      session?.connection.send(results('', true))
      session?.connection.send(results('', true))
      for (const type of ['SomethingNew', 'Results']) session?.connection.send(JSON.stringify({ type }))
      await world.clock.elapse(50)
      expect(log).toEqual(['interim Uh', 'interim '])
      await context.scope.close()
    }))

  it('keeps its connection open during silence', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await listen(world)
      await world.clock.elapse(60_000)
      expect(server.open).toHaveLength(1)
      expect(new Set(server.sessions[0]?.controls)).toEqual(new Set(['KeepAlive']))
      expect(world.network.dials).toBe(1)
      await context.scope.close()
    }))

  it('never sends an empty frame, which would end the stream', () =>
    inVirtualTime(async (world) => {
      const { stream, server, context } = await listen(world)
      stream.push({ samples: new Int16Array(0), sampleRate: 16_000 })
      await world.clock.elapse(50)
      expect(server.open).toHaveLength(1)
      await context.scope.close()
    }))

  it('emits the last words before its end is acknowledged', () =>
    inVirtualTime(async (world) => {
      const { log, say, server, context } = await listen(world, { interimResults: false }, { thinks: 500 })
      say('Goodbye')
      const report = await context.scope.close()
      expect(log).toEqual(['final Goodbye'])
      expect(server.sessions[0]?.controls).toEqual(['CloseStream'])
      expect(context.connections).toMatchObject([
        { name: 'deepgram', how: 'acknowledged', code: 1000, retries: 0 },
      ])
      expect(report.clean).toBe(true)
    }))

  it('ends its connection on detach(), and sends and emits nothing after the acknowledgement', () =>
    inVirtualTime(async (world) => {
      const { log, say, stream, server, context } = await listen(
        world,
        { interimResults: false },
        { rude: ['talks on'] },
      )
      say('Goodbye')
      stream.detach()
      say('and another thing')
      stream.flush()
      await world.clock.elapse(100)
      expect(log).toEqual(['final Goodbye'])
      expect(context.connections).toMatchObject([{ how: 'acknowledged' }])
      expect(server.open).toEqual([])
      await context.scope.close()
      expect(world.network.dials).toBe(1)
    }))

  it.each<[what: string, manners: DeepgramServerOptions, how: string]>([
    ['CloseStream', { rude: ['ignores CloseStream'] }, 'closed'],
    ['the close frame', { ignoresClose: true, rude: ['ignores CloseStream'] }, 'aborted'],
  ])('closes on time although the server ignores %s', (_, manners, how) =>
    inVirtualTime(async (world) => {
      const { context } = await listen(world, {}, manners)
      const report = await context.scope.close()
      expect(report.took).toBeLessThanOrEqual(4_000)
      expect(context.connections).toMatchObject([{ how }])
      expect(world.network.sockets.list()).toEqual([])
    }),
  )

  it('continues after a drop: interim words become final, and final words are not repeated', () =>
    inVirtualTime(async (world) => {
      const { log, say, stream, server, context } = await listen(world, { endpointing: false })
      say('One ')
      stream.flush()
      say('two ')
      await world.clock.elapse(50)
      server.drop()
      say('three ')
      await world.clock.elapse(2_000)
      stream.flush()
      await world.clock.elapse(50)
      expect(log.filter((each) => each.startsWith('final'))).toEqual([
        'final One',
        'final two',
        'final three',
      ])
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'acknowledged', retries: 1 }])
    }))

  it('buffers the last 5 s of audio while it has no connection', () =>
    inVirtualTime(async (world) => {
      const { quiet, server, context } = await listen(world)
      server.manners.connect = 3_000
      server.drop()
      for (let ms = 0; ms < 60_000; ms += 20) quiet(20)
      await world.clock.elapse(10_000)
      expect(server.sessions.at(-1)?.audio).toBe(5_000)
      await context.scope.close()
    }))

  it('sleeps after the service closed an idle connection, until it hears speech', () =>
    inVirtualTime(async (world) => {
      const { log, say, quiet, stream, server, context } = await listen(world, { interimResults: false })
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
      expect(log).toEqual(['final Hello?'])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'acknowledged', retries: 0 }])
    }))

  it('fails at once when the service cannot decode its audio', () =>
    inVirtualTime(async (world) => {
      const { log, server, context } = await listen(world)
      server.close(1008, 'DATA-0000')
      await world.clock.elapse(50)
      expect(log).toEqual(['failed LINK_FATAL 1008 DATA-0000'])
      expect(world.network.dials).toBe(1)
      await context.scope.close()
    }))

  it('[PR1] reconnects when a transcript is not a string', () =>
    inVirtualTime(async (world) => {
      const { log, server, context } = await listen(world)
      const channel = { alternatives: [{ transcript: { toString: 1 } }] }
      server.open[0]!.connection.send(JSON.stringify({ type: 'Results', is_final: true, channel }))
      await world.clock.elapse(2_000)
      expect(log).toEqual([])
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }))

  it('[PR1] ignores a malformed message while it closes', () =>
    inVirtualTime(async (world) => {
      const { log, say, server, context } = await listen(world, { interimResults: false }, { thinks: 500 })
      say('Goodbye')
      const closing = context.scope.close()
      server.open[0]!.connection.send('{"type":"Results","channel":{"alternatives":4}}')
      expect((await closing).clean).toBe(true)
      expect(log).toEqual(['final Goodbye'])
      expect(context.connections).toMatchObject([{ how: 'acknowledged' }])
    }))

  it('fails once its retries are used up when the server only sends garbage', () =>
    inVirtualTime(async (world) => {
      const { log, say, context } = await listen(world, {}, { rude: ['garbles'] })
      for (let turn = 0; turn < 60 && log.length === 0; turn++) {
        say('Hello?')
        await world.clock.elapse(1_000)
      }
      expect(log).toHaveLength(1)
      expect(log[0]).toContain('LINK_FAILED')
      await context.scope.close()
    }))
})
