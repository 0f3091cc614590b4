import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { muLaw } from '../../../src/audio/index.ts'
import {
  ElevenLabsTts,
  MissingKeyError,
  type ElevenLabsTtsOptions,
} from '../../../src/providers/elevenlabs/index.ts'
import { conformance, inVirtualTime, ttsConformance, type World } from '../../../src/testing/index.ts'
import { ElevenLabsServer, type ElevenLabsServerOptions } from '../../../src/testing/servers/index.ts'
import { lengthOf, openVoice, pieces, type Speaking } from '../speaking.ts'

const KEY = 'el-secret-0123456789'

conformance({ describe, it }, 'ElevenLabs on a simulated network', ttsConformance, ({ clock, network }) => {
  const server = new ElevenLabsServer({ clock, key: KEY })
  network!.serve = server.serve
  return {
    tts: new ElevenLabsTts({ apiKey: KEY, voice: 'any' }),
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
  manners: ElevenLabsServerOptions = {},
  options: Partial<ElevenLabsTtsOptions> = {},
): Promise<Speaking & { readonly server: ElevenLabsServer }> {
  const server = new ElevenLabsServer({ clock: world.clock, key: KEY, ...manners })
  const tts = new ElevenLabsTts({ apiKey: KEY, voice: 'any', ...options })
  return { server, ...(await openVoice(world, server, tts)) }
}

describe('ElevenLabsTts options', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('become query parameters, and settings in the first message of a speech', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(
        world,
        {},
        {
          voice: 'a/b',
          model: 'eleven_turbo_v2_5',
          language: 'de',
          sampleRate: 8_000,
          speed: 1.1,
          stability: 0.4,
          similarityBoost: 0.5,
          style: 0.1,
          speakerBoost: false,
          textNormalization: 'off',
          dictionaries: [{ id: 'd', version: 'v' }],
          extra: { enable_logging: false },
        },
      )
      await speak('Guten Tag.')
      const [session] = server.sessions
      expect(new URL(server.dials[0]!.url).pathname).toBe('/v1/text-to-speech/a%2Fb/multi-stream-input')
      expect(Object.fromEntries(session!.query)).toEqual({
        model_id: 'eleven_turbo_v2_5',
        output_format: 'pcm_8000',
        auto_mode: 'true',
        sync_alignment: 'true',
        inactivity_timeout: '180',
        language_code: 'de',
        apply_text_normalization: 'off',
        enable_logging: 'false',
      })
      const context_id = 'speech-1'
      expect(session?.requests).toEqual([
        {
          text: ' ',
          context_id,
          voice_settings: {
            stability: 0.4,
            similarity_boost: 0.5,
            style: 0.1,
            use_speaker_boost: false,
            speed: 1.1,
          },
          pronunciation_dictionary_locators: [{ pronunciation_dictionary_id: 'd', version_id: 'v' }],
        },
        { text: 'Guten Tag. ', context_id },
        { context_id, flush: true },
        { context_id, close_context: true },
      ])
      await context.scope.close()
    }))

  it('must include a key, or the constructor throws', () => {
    vi.stubEnv('ELEVENLABS_API_KEY', '')
    expect(() => new ElevenLabsTts({ voice: 'any' })).toThrow(MissingKeyError)
    expect(() => new ElevenLabsTts({ voice: 'any' })).toThrow('ELEVENLABS_API_KEY')
    vi.stubEnv('ELEVENLABS_API_KEY', KEY)
    expect(new ElevenLabsTts({ voice: 'any' }).name).toBe('elevenlabs')
  })

  it('refuse a model with another protocol', () => {
    const voice = { apiKey: KEY, voice: 'any' }
    expect(() => new ElevenLabsTts({ ...voice, model: 'eleven_v3_conversational' })).toThrow(
      'eleven_flash_v2_5',
    )
  })

  it('never show the key', () =>
    inVirtualTime(async (world) => {
      const { voice, context } = await open(world)
      for (const thing of [new ElevenLabsTts({ apiKey: KEY, voice: 'any' }), voice]) {
        expect(inspect(thing, { depth: 9, showHidden: true })).not.toContain(KEY)
        expect(JSON.stringify(thing)).not.toContain(KEY)
      }
      await context.scope.close()
    }))
})

describe('ElevenLabs', () => {
  it.each<[what: string, manners: ElevenLabsServerOptions, options?: Partial<ElevenLabsTtsOptions>]>([
    ['counted from the start of each chunk', { times: 'chunk' }],
    ['counted from the start of the speech', { times: 'context' }],
    ['of normalised text', {}, { dictionaries: [{ id: 'd', version: 'v' }] }],
    ['in snake case', { rude: ['snake case'] }],
  ])('streams audio with the time of each word, from characters %s', (_, manners, options) =>
    inVirtualTime(async (world) => {
      const { context, speak } = await open(world, manners, options)
      const { text, words, error } = await speak('Good morning to you.')
      expect(error).toBeUndefined()
      expect(text).toBe('Good morning to you. ')
      expect(words).toEqual([
        { text: 'Good ', start: 0, end: 200 },
        { text: 'morning ', start: 250, end: 600 },
        { text: 'to ', start: 650, end: 750 },
        { text: 'you. ', start: 800, end: 1_000 },
      ])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ name: 'elevenlabs', how: 'closed', retries: 0 }])
    }),
  )

  it('speaks mu-law to a phone', () =>
    inVirtualTime(async (world) => {
      const server = new ElevenLabsServer({ clock: world.clock })
      const { context, speak } = await openVoice(
        world,
        server,
        new ElevenLabsTts({ apiKey: KEY, voice: 'any' }),
        muLaw,
      )
      const { chunks, words } = await speak('Good morning.')
      expect(server.sessions[0]?.query.get('output_format')).toBe('ulaw_8000')
      expect(lengthOf(chunks)).toBe(700)
      expect(words).toHaveLength(2)
      await context.scope.close()
    }))

  it('sends whole sentences, each as soon as the next one begins', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      async function* slowly(): AsyncGenerator<string> {
        yield* pieces('Good morning. How are')
        await world.clock.elapse(1_000)
        expect(server.sessions[0]?.requests.at(-1)).toMatchObject({ text: 'Good morning. ' })
        yield* pieces(' you?')
      }
      expect((await speak(slowly())).text).toBe('Good morning. How are you? ')
      await context.scope.close()
    }))

  it('starts a context again that the service ended while its text paused', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      async function* pausing(): AsyncGenerator<string> {
        yield 'Yes. No'
        await world.clock.elapse(1_000)
        const context_id = 'speech-1'
        server.open[0]!.receive(JSON.stringify({ context_id, close_context: true }))
        await world.clock.elapse(1_000)
        yield '.'
      }
      const { text, words, error } = await speak(pausing())
      expect(error).toBeUndefined()
      expect(text).toBe('Yes. No. ')
      expect(words).toEqual([
        { text: 'Yes. ', start: 0, end: 200 },
        { text: 'No. ', start: 250, end: 400 },
      ])
      await context.scope.close()
    }))

  it('closes the context of an aborted speech and ignores its late audio', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['talks on'] })
      const stop = new AbortController()
      world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
      const one = await speak('Good morning to you, and to all of your friends.', stop.signal)
      expect(one.error).toBe('interrupted')
      await world.clock.elapse(10)
      expect(server.sessions[0]?.requests.at(-1)).toEqual({ context_id: 'speech-1', close_context: true })
      expect((await speak('Sorry.')).text).toBe('Sorry. ')
      await context.scope.close()
      expect(server.sessions).toHaveLength(1)
    }))

  it('speaks any number of texts at once with five contexts', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      const texts = Array.from({ length: 12 }, (_, index) => `This is text ${index}.`)
      const all = await Promise.all(texts.map((text) => speak(text)))
      expect(all.map(({ text, error }) => error ?? text.trim())).toEqual(texts)
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it('counts interrupted speeches until the service has closed their contexts', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { every: 100, rude: ['talks on'] })
      for (let index = 0; index < 8; index++) {
        const stop = new AbortController()
        world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
        expect(
          (await speak('A text of three seconds, which goes on and on and on.', stop.signal)).error,
        ).toBe('interrupted')
      }
      expect((await speak('Sorry.')).text).toBe('Sorry. ')
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it('speaks again, within stallTimeout, although the service never confirms the end of a context', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(
        world,
        { every: 100, rude: ['never final', 'talks on'] },
        { stallTimeout: 1_000 },
      )
      const long = 'A long text. '.repeat(20)
      for (let index = 0; index < 4; index++) {
        const stop = new AbortController()
        world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
        await speak(long, stop.signal)
      }
      const before = world.clock.now()
      const [first] = (await speak('Sorry.')).chunks
      expect(first).toBeDefined()
      expect(world.clock.now() - before).toBeLessThan(2_500)
      // The service counts five open contexts, and closes the connection for the sixth, which the next one speaks.
      server.rude.clear()
      expect((await speak('Hello?')).text).toBe('Hello? ')
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }))

  it('repeats a speech when the connection broke before its first audio', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(50, 'breaks', () => server.drop())
      const { text, words, error } = await speak('Good morning.')
      expect(error).toBeUndefined()
      expect(text).toBe('Good morning. ')
      expect(words).toHaveLength(2)
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }))

  it('fails a speech when the service reports an error in the middle of it, and no other', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['fails'] })
      const failed = await speak('Good morning to you.')
      expect(failed.error).toMatchObject({ code: 'PROVIDER_FAILED', retryable: true })
      expect(lengthOf(failed.chunks)).toBe(100)
      server.rude.clear()
      expect((await speak('Sorry.')).text).toBe('Sorry. ')
      await context.scope.close()
    }))

  it.each<[what: string, error: string, code: string]>([
    ['a wrong voice, for good', 'voice_id_does_not_exist', 'LINK_FATAL'],
    ['an exhausted quota, for good', 'quota_exceeded', 'LINK_FATAL'],
  ])('fails for %s, with the reason', (_, error, code) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(50, 'fails', () => server.open[0]!.fail(error, `sorry: ${error}`))
      const spoken = await speak('Good morning.')
      expect(spoken.error).toMatchObject({ code, message: expect.stringContaining(error) })
      expect((await speak('Hello?')).error).toMatchObject({ code })
      expect(world.network.dials).toBe(1)
      await context.scope.close()
    }),
  )

  it('reconnects when it is told that it has too many contexts', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(50, 'fails', () => server.open[0]!.fail('max_active_conversations', 'too many'))
      expect((await speak('Good morning.')).text).toBe('Good morning. ')
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }))

  it.each<[what: string, manners: ElevenLabsServerOptions]>([
    ['never sends isFinal', { rude: ['never final'] }],
    ['sends nothing at all', { rude: ['mute', 'never final'] }],
  ])('fails a speech after stallTimeout if the service %s, and reconnects', (_, manners) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, manners, { stallTimeout: 3_000 })
      const { error } = await speak('Yes.')
      expect(error).toMatchObject({ code: 'PART_TIMEOUT' })
      expect(world.clock.now()).toBeLessThan(3_200)
      server.rude.clear()
      expect((await speak('Sorry.')).text).toBe('Sorry. ')
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }),
  )

  it.each<[what: string, message: object]>([
    ['audio that is not a string', { audio: { length: 4 } }],
    ['characters that are not strings', { audio: '', alignment: { chars: [1] } }],
    ['times that are not numbers', { audio: '', alignment: { charStartTimesMs: ['0'] } }],
    ['a list that is not one', { audio: '', alignment: { chars: { length: 3 } } }],
  ])('[PR1] reconnects and repeats a speech when the service sends %s', (_, message) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(50, 'a malformed message', () =>
        server.open[0]!.connection.send(JSON.stringify({ ...message, contextId: 'speech-1' })),
      )
      const { text, error } = await speak('Good morning.')
      expect(error).toBeUndefined()
      expect(text).toBe('Good morning. ')
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }),
  )

  it('[PR3] fails a speech that ends without a sound', () =>
    inVirtualTime(async (world) => {
      const { context, speak } = await open(world, { rude: ['mute'] })
      expect((await speak('Yes.')).error).toMatchObject({ code: 'PROVIDER_FAILED', retryable: true })
      await context.scope.close()
    }))

  it('sleeps after the service closed an idle connection, until the next speech', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      await speak('Yes.')
      await world.clock.elapse(60 * 60_000)
      expect(server.open).toEqual([])
      expect(world.network.dials).toBe(1)
      expect((await speak('No.')).text).toBe('No. ')
      expect(world.network.dials).toBe(2)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('fails in the end when the service finds a speech idle again and again', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 60_000 })
      let failed = false
      const fail = (): void => {
        server.open[0]?.fail('input_timeout_exceeded', 'no text')
        if (!failed) world.clock.happen(500, 'fails again', fail)
      }
      fail()
      expect((await speak('Good morning.')).error).toMatchObject({ code: 'LINK_FAILED' })
      failed = true
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
