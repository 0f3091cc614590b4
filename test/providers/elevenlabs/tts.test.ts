import { describe, expect, it } from 'vitest'
import { ElevenLabsTts, type ElevenLabsTtsOptions } from '../../../src/providers/elevenlabs/index.ts'
import { inVirtualTime, type World } from '../../../src/testing/index.ts'
import { ElevenLabsServer, type ElevenLabsServerOptions } from '../../../src/testing/servers/index.ts'
import { openVoice, type Speaking } from '../speaking.ts'

const KEY = 'el-secret-0123456789'

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

  it('refuse a model with another protocol', () => {
    const voice = { apiKey: KEY, voice: 'any' }
    expect(() => new ElevenLabsTts({ ...voice, model: 'eleven_v3_conversational' })).toThrow(
      'eleven_flash_v2_5',
    )
  })
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

  it('speaks again, within stallTimeout, although the service never confirms the end of a context', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(
        world,
        { every: 100, rude: ['never done', 'talks on'] },
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
})
