import { describe, expect, it } from 'vitest'
import { aLaw } from '../../../src/audio/index.ts'
import { InworldTts, type InworldTtsOptions } from '../../../src/providers/inworld/index.ts'
import { inVirtualTime, type World } from '../../../src/testing/index.ts'
import { InworldServer, type VoiceServerOptions } from '../../../src/testing/servers/index.ts'
import { openVoice, type Speaking } from '../speaking.ts'

const apiKey = 'aW53b3JsZC1zZWNyZXQ='

async function open(
  world: World,
  manners: VoiceServerOptions = {},
  options: Partial<InworldTtsOptions> = {},
): Promise<Speaking & { readonly server: InworldServer }> {
  const server = new InworldServer({ clock: world.clock, key: apiKey, ...manners })
  const tts = new InworldTts({ apiKey, voice: 'Ashley', ...options })
  return { server, ...(await openVoice(world, server, tts)) }
}

describe('InworldTts options', () => {
  it('are sent at the start of each speech', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(
        world,
        {},
        {
          model: 'inworld-tts-1.5-max',
          sampleRate: 8_000,
          speed: 1.1,
          language: 'en-US',
          delivery: 'creative',
          temperature: 0.7,
          textNormalization: 'off',
          extra: { audioConfig: { pitch: 1 }, bufferCharThreshold: 50 },
        },
      )
      await speak('Good day. Yes.')
      const contextId = 'speech-1'
      expect(server.sessions[0]?.requests).toEqual([
        {
          contextId,
          create: {
            voiceId: 'Ashley',
            modelId: 'inworld-tts-1.5-max',
            audioConfig: { audioEncoding: 'PCM', sampleRateHertz: 8_000, speakingRate: 1.1, pitch: 1 },
            temperature: 0.7,
            applyTextNormalization: 'OFF',
            timestampType: 'WORD',
            timestampTransportStrategy: 'ASYNC',
            autoMode: true,
            language: 'en-US',
            deliveryMode: 'CREATIVE',
            bufferCharThreshold: 50,
          },
        },
        { contextId, send_text: { text: 'Good day. ' } },
        { contextId, send_text: { text: 'Yes.' } },
        { contextId, flush_context: {} },
        { contextId, close_context: {} },
      ])
      expect(server.dials[0]?.url).toBe('wss://api.inworld.ai/tts/v1/voice:streamBidirectional')
      await context.scope.close()
    }))

  it('have a current model by default, and A-law for the phone', () =>
    inVirtualTime(async (world) => {
      const server = new InworldServer({ clock: world.clock })
      const tts = new InworldTts({ apiKey, voice: 'Ashley' })
      const { context, speak } = await openVoice(world, server, tts, aLaw)
      await speak('Yes.')
      expect(server.sessions[0]?.requests[0]).toMatchObject({
        create: { modelId: 'inworld-tts-2', audioConfig: { audioEncoding: 'ALAW', sampleRateHertz: 8_000 } },
      })
      await context.scope.close()
    }))
})

describe('Inworld', () => {
  it('adds up the times of sentences that arrive with their audio, too', () =>
    inVirtualTime(async (world) => {
      const { context, speak } = await open(world, {}, { extra: { timestampTransportStrategy: 'SYNC' } })
      const { words } = await speak('Good day. Yes. No.')
      expect(words).toEqual([
        { text: 'Good ', start: 0, end: 200 },
        { text: 'day. ', start: 250, end: 450 },
        { text: 'Yes. ', start: 500, end: 700 },
        { text: 'No. ', start: 750, end: 900 },
      ])
      await context.scope.close()
    }))

  it('sends no text that is too long for the service, also when it repeats a speech', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100, msPerCharacter: 10 })
      world.clock.happen(50, 'breaks', () => server.drop())
      const text = 'word '.repeat(500).trim()
      const { error, text: spoken } = await speak(text)
      expect(error).toBeUndefined()
      expect(spoken).toBe(text)
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }))

  it('speaks again, within stallTimeout, although the service never closes a context', () =>
    inVirtualTime(async (world) => {
      const rude: VoiceServerOptions = { every: 100, rude: ['never done', 'talks on'] }
      const { server, context, speak } = await open(world, rude, { stallTimeout: 1_000 })
      for (let index = 0; index < 4; index++) {
        const stop = new AbortController()
        world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
        await speak('A long text. '.repeat(20), stop.signal)
      }
      const before = world.clock.now()
      const [first] = (await speak('Sorry.')).chunks
      expect(first).toBeDefined()
      expect(world.clock.now() - before).toBeLessThan(2_500)
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it.each<[code: number, status: number | undefined, retryable: boolean]>([
    [3, 400, false],
    [8, 429, true],
    [14, 503, true],
    [99, undefined, false],
  ])('fails one speech for the status %i', (code, status, retryable) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(50, 'fails', () => server.open[0]!.fail('speech-1', code, 'sorry'))
      const { error } = await speak('Good morning.')
      expect(error).toMatchObject({ code: 'PROVIDER_FAILED', retryable })
      expect((error as { status?: number }).status).toBe(status)
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }),
  )

  it.each<[code: number, dials: number, expected: string | undefined]>([
    [14, 2, undefined],
    [16, 1, 'LINK_FATAL'],
    [3, 1, 'LINK_FATAL'],
  ])(
    'reconnects after an error of the connection, unless it would occur again: %i',
    (code, dials, expected) =>
      inVirtualTime(async (world) => {
        const { server, context, speak } = await open(world, { thinks: 100 })
        world.clock.happen(50, 'fails', () => server.open[0]!.end(code, 'sorry'))
        const { error } = await speak('Good morning.')
        expect((error as { code?: string } | undefined)?.code).toBe(expected)
        expect(world.network.dials).toBe(dials)
        await context.scope.close()
      }),
  )

  it('keeps the connection after an error that names no speech, unless the key is wrong', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      server.open[0]!.fail('', 3, 'what?')
      expect((await speak('Good morning.')).text).toBe('Good morning.')
      expect(world.network.dials).toBe(1)
      world.clock.happen(50, 'fails', () => server.open[0]!.fail('', 16, 'no such key'))
      expect((await speak('Hello?')).error).toMatchObject({ code: 'LINK_FATAL' })
      await context.scope.close()
    }))
})
