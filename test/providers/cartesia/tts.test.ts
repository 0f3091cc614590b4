import { describe, expect, it } from 'vitest'
import type { SpokenWord } from '../../../src/parts/index.ts'
import { inVirtualTime, type World } from '../../../src/testing/index.ts'
import type { CartesiaTimestamps } from '../../../src/testing/servers/cartesia-events.ts'
import { CartesiaServer, type CartesiaServerOptions } from '../../../src/testing/servers/index.ts'
import { CartesiaTts, type CartesiaTtsOptions } from '../../../src/providers/cartesia/index.ts'
import { openVoice, type Speaking, type Spoken } from '../speaking.ts'

const KEY = 'ca-secret-0123456789'

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
})

describe('Cartesia', () => {
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

  it('repeats a speech whose timestamps arrived before the connection broke', () =>
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

  it('keeps the connection when the service reports an error of one speech', () =>
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
