import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SpokenWord } from '../../../src/parts/index.ts'
import { conformance, inVirtualTime, ttsConformance, type World } from '../../../src/testing/index.ts'
import type { CartesiaTimestamps } from '../../../src/testing/servers/cartesia-events.ts'
import { CartesiaServer, type CartesiaServerOptions } from '../../../src/testing/servers/index.ts'
import {
  CartesiaTts,
  MissingKeyError,
  type CartesiaTtsOptions,
} from '../../../src/providers/cartesia/index.ts'
import { lengthOf, openVoice, type Speaking, type Spoken } from '../speaking.ts'

const KEY = 'ca-secret-0123456789'

conformance({ describe, it }, 'Cartesia on a simulated network', ttsConformance, ({ clock, network }) => {
  const server = new CartesiaServer({ clock, key: KEY })
  network!.serve = server.serve
  return {
    tts: new CartesiaTts({ apiKey: KEY, voice: 'any' }),
    refuses: () => {
      server.manners.refuse = 401
    },
    breaks: () => {
      server.rude.add('fails')
    },
  }
})

async function open(
  world: World,
  manners: CartesiaServerOptions = {},
  options: Partial<CartesiaTtsOptions> = {},
): Promise<Speaking & { readonly server: CartesiaServer }> {
  const server = new CartesiaServer({ clock: world.clock, key: KEY, ...manners })
  const tts = new CartesiaTts({ apiKey: KEY, voice: 'any', ...options })
  return { server, ...(await openVoice(world, server, tts)) }
}

describe('CartesiaTts options', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('have a current model and a short wait for more text by default', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      await speak('Hello.')
      expect(server.sessions[0]?.requests[0]).toMatchObject({
        model_id: 'sonic-3.5',
        max_buffer_delay_ms: 300,
      })
      await context.scope.close()
    }))

  it('are sent with each piece of text', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(
        world,
        {},
        { model: 'sonic-2', language: 'de', sampleRate: 8_000, speed: 1.2, bufferDelay: 200 },
      )
      await speak('Guten Tag.')
      const settings = {
        context_id: 'speech-1',
        model_id: 'sonic-2',
        voice: { mode: 'id', id: 'any' },
        output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 8_000 },
        add_timestamps: true,
        language: 'de',
        max_buffer_delay_ms: 200,
        generation_config: { speed: 1.2 },
      }
      expect(server.sessions[0]?.requests).toEqual([
        { ...settings, transcript: 'Guten', continue: true },
        { ...settings, transcript: ' Tag.', continue: true },
        { ...settings, transcript: '', continue: false },
      ])
      expect(server.dials[0]).toMatchObject({
        url: 'wss://api.cartesia.ai/tts/websocket',
        headers: { 'cartesia-version': '2026-08-14' },
      })
      await context.scope.close()
    }))

  it('must include a key, or the constructor throws', () => {
    vi.stubEnv('CARTESIA_API_KEY', '')
    expect(() => new CartesiaTts({ voice: 'any' })).toThrow(MissingKeyError)
    expect(() => new CartesiaTts({ voice: 'any' })).toThrow('CARTESIA_API_KEY')
    vi.stubEnv('CARTESIA_API_KEY', KEY)
    expect(new CartesiaTts({ voice: 'any' }).name).toBe('cartesia')
  })

  it('never show the key', () =>
    inVirtualTime(async (world) => {
      const { voice, context } = await open(world)
      for (const thing of [new CartesiaTts({ apiKey: KEY, voice: 'any' }), voice]) {
        expect(inspect(thing, { depth: 9, showHidden: true })).not.toContain(KEY)
        expect(JSON.stringify(thing)).not.toContain(KEY)
      }
      await context.scope.close()
    }))
})

describe('Cartesia', () => {
  it('streams audio with the time of each word', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      const { chunks, text, error } = await speak('Good morning to you.')
      expect(error).toBeUndefined()
      expect(text).toBe('Good morning to you.')
      expect(wordsOf({ chunks })).toEqual([
        { text: 'Good ', start: 0, end: 200 },
        { text: 'morning ', start: 250, end: 600 },
        { text: 'to ', start: 650, end: 750 },
        { text: 'you. ', start: 800, end: 1_000 },
      ])
      await world.clock.elapse(10)
      expect(server.sessions[0]?.requests.filter((request) => 'cancel' in request)).toEqual([])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ name: 'cartesia', how: 'closed', retries: 0 }])
    }))

  it('adds no spaces to words of Chinese and Japanese', () =>
    inVirtualTime(async (world) => {
      const { context, speak } = await open(world)
      for (const text of ['你好,我们九点开门。', 'おはようございます。', 'カレーです']) {
        const words = wordsOf(await speak(text)).map((word) => word.text)
        expect(words.join('').trim()).toBe(text)
      }
      await context.scope.close()
    }))

  it('sends white space only together with the words that follow it', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      async function* spaced(): AsyncGenerator<string> {
        yield* ['', ' ', 'Yes.', ' ', '\n', 'No.', ' ']
      }
      await speak(spaced())
      const sent = server.sessions[0]?.requests.map(
        (request) => 'transcript' in request && request.transcript,
      )
      expect(sent).toEqual([' Yes.', ' \nNo.', ''])
      await context.scope.close()
    }))

  it('starts to speak before its text is complete', () =>
    inVirtualTime(async (world) => {
      const { context, voice } = await open(world)
      const log: string[] = []
      async function* slowly(): AsyncGenerator<string> {
        yield 'Good morning. '
        await world.clock.elapse(5_000)
        log.push('text')
        yield 'Bye.'
      }
      for await (const chunk of voice.speak(slowly(), new AbortController().signal))
        if (chunk && log.length === 0) log.push('audio')
      expect(log).toEqual(['audio', 'text'])
      await context.scope.close()
    }))

  it('continues a context that the service ended while its text paused', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      async function* pausing(last: string): AsyncGenerator<string> {
        yield 'Yes. '
        await world.clock.elapse(1_000)
        const [session] = server.open
        session?.send({ type: 'done', context_id: contextOf(server), status_code: 200, done: true })
        session?.send(timed(contextOf(server), 'No.'))
        await world.clock.elapse(1_000)
        if (last) yield last
      }
      const more = await speak(pausing('No.'))
      expect(more.text).toBe('Yes. No.')
      // The service counts the time of the second half from its own start.
      expect(wordsOf(more)).toContainEqual({ text: 'No. ', start: 250, end: 350 })
      const none = await speak(pausing(''))
      expect(none.text).toBe('Yes. ')
      expect(none.error).toBeUndefined()
      await context.scope.close()
    }))

  it('cancels an aborted speech and ignores its late audio', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['ignores cancel'] })
      const stop = new AbortController()
      world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
      const one = await speak('Good morning to you, and to all of your friends.', stop.signal)
      expect(one.error).toBe('interrupted')
      await world.clock.elapse(10)
      expect(server.sessions[0]?.requests.at(-1)).toEqual({ context_id: 'speech-1', cancel: true })
      const two = await speak('Sorry.')
      expect(two.text).toBe('Sorry.')
      await context.scope.close()
      expect(server.sessions).toHaveLength(1)
    }))

  it('repeats a speech when the connection broke before its first audio', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(20, 'timestamps arrive first', () =>
        server.open[0]?.send(timed(contextOf(server), 'Good')),
      )
      world.clock.happen(50, 'breaks', () => server.drop())
      const { error, ...spoken } = await speak('Good morning.')
      expect(error).toBeUndefined()
      expect(spoken.text).toBe('Good morning.')
      expect(wordsOf(spoken).map(({ text }) => text)).toEqual(['Good ', 'morning. '])
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
    }))

  it('fails a speech whose connection broke after its first audio, and no other', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['drops mid-context'] })
      const broken = await speak('Good morning to you.')
      expect(broken.error).toMatchObject({ code: 'PROVIDER_FAILED', retryable: true })
      expect(lengthOf(broken.chunks)).toBe(100)
      server.rude.clear()
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      await context.scope.close()
    }))

  it('fails a speech for which the service reports an error, and no other', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['fails'] })
      const failed = await speak('Good morning to you.')
      expect(failed.error).toMatchObject({
        code: 'PROVIDER_FAILED',
        status: 400,
        message: 'cartesia answered with status 400: the voice broke',
      })
      server.rude.clear()
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it.each<[what: string, then: string, connections: number, manners: CartesiaServerOptions]>([
    ['never sends done', 'keeps the connection, which works', 1, { rude: ['never done'] }],
    ['sends nothing at all', 'reconnects', 2, { rude: ['mute'] }],
  ])('fails a speech after stallTimeout if the service %s, and %s', (_, __, connections, manners) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, manners, { stallTimeout: 3_000 })
      const { error } = await speak('Yes.')
      expect(error).toMatchObject({ code: 'PART_TIMEOUT' })
      expect(world.clock.now()).toBeLessThan(3_200)
      server.rude.clear()
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      expect(server.sessions).toHaveLength(connections)
      await context.scope.close()
    }),
  )

  it('[PR3] fails a speech that ends without a sound', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['mute'] })
      world.clock.happen(50, 'done', () => {
        const context_id = contextOf(server)
        server.open[0]!.connection.send(JSON.stringify({ type: 'done', context_id }))
      })
      expect((await speak('Yes.')).error).toMatchObject({ code: 'PROVIDER_FAILED', retryable: true })
      await context.scope.close()
    }))

  it.each<[what: string, data: string, every: number, within: number]>([
    ['that is far too long for its text', Buffer.alloc(480_000).toString('base64'), 100, 1_000],
    ['that trickles', Buffer.alloc(2).toString('base64'), 900, 12_000],
    ['that goes on without a sound', '', 900, 12_000],
  ])('[PR3] fails a speech %s', (_, data, every, within) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['mute'] })
      const send = (): void => {
        const session = server.open[0]
        if (!session) return
        session.connection.send(JSON.stringify({ type: 'chunk', context_id: contextOf(server), data }))
        session.connection.after(every, 'next chunk', send)
      }
      world.clock.happen(50, 'chunks', send)
      expect((await speak('Yes.')).error).toMatchObject({
        code: expect.stringMatching(/PROVIDER_FAILED|PART_TIMEOUT/),
      })
      expect(world.clock.now()).toBeLessThan(within)
      await context.scope.close()
    }),
  )

  it('keeps the connection when one speech stalls and others do not', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['mute'] }, { stallTimeout: 1_000 })
      const lost = speak('Yes.')
      await world.clock.elapse(500)
      server.rude.clear()
      expect((await speak('No.')).text).toBe('No.')
      expect((await lost).error).toMatchObject({ code: 'PART_TIMEOUT' })
      await world.clock.elapse(5_000)
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it.each<[what: string, message: object]>([
    ['audio that is not a string', { type: 'chunk', data: { length: 4 } }],
    ['audio that is too long', { type: 'chunk', data: 'A'.repeat(4 * 1024 * 1024 + 4) }],
    ['words that are not strings', { type: 'timestamps', word_timestamps: { words: [{ toString: 1 }] } }],
  ])('[PR1] reconnects and repeats a speech when the service sends %s', (_, message) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(50, 'a malformed message', () =>
        server.open[0]!.connection.send(JSON.stringify({ ...message, context_id: contextOf(server) })),
      )
      const { text, error } = await speak('Good morning.')
      expect(error).toBeUndefined()
      expect(text).toBe('Good morning.')
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }),
  )

  it('sleeps after the service closed an idle connection, until the next speech', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      await speak('Yes.')
      await world.clock.elapse(60 * 60_000)
      expect(server.open).toEqual([])
      expect(world.network.dials).toBe(1)
      expect((await speak('No.')).text).toBe('No.')
      expect(world.network.dials).toBe(2)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('fails every speech when the link has failed for good', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      const speech = speak('Good morning.')
      await world.clock.elapse(50)
      server.manners.refuse = 401
      server.drop()
      expect((await speech).error).toMatchObject({ code: 'LINK_REFUSED' })
      expect((await speak('Hello?')).error).toMatchObject({ code: 'LINK_REFUSED' })
      await context.scope.close()
    }))

  it('closes on time although the server ignores the close frame', () =>
    inVirtualTime(async (world) => {
      const { context } = await open(world, { ignoresClose: true })
      const report = await context.scope.close()
      expect(report.took).toBeLessThanOrEqual(2_000)
      expect(context.connections).toMatchObject([{ how: 'aborted' }])
      expect(world.network.sockets.list()).toEqual([])
    }))
})

const wordsOf = ({ chunks }: Pick<Spoken, 'chunks'>): SpokenWord[] =>
  chunks.flatMap(({ words = [] }) => words)

/** Timestamps for a word that takes the first 100 ms of its context. */
function timed(context_id: string, word: string): CartesiaTimestamps {
  const word_timestamps = { words: [word], start: [0], end: [0.1] }
  return { type: 'timestamps', context_id, word_timestamps, status_code: 206, done: false, flush_id: 0 }
}

/** The context id of the last request. */
function contextOf(server: CartesiaServer): string {
  return server.sessions.at(-1)?.requests.at(-1)?.context_id ?? ''
}
