import { DeepgramClient, type Deepgram } from '@deepgram/sdk'
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { muLaw, samplesFromBytes } from '../../src/audio/index.ts'
import { DeepgramTts, type DeepgramTtsOptions } from '../../src/providers/deepgram/index.ts'
import type { SpeakControl, SpeakError, SpeakWarning } from '../../src/providers/deepgram/speak-messages.ts'
import {
  conformance,
  inVirtualTime,
  onFastStage,
  textOf,
  ttsConformance,
  type World,
} from '../../src/testing/index.ts'
import type { FluxSpeakEvent } from '../../src/testing/servers/deepgram-speak-events.ts'
import {
  DeepgramSpeakServer,
  LoopbackServer,
  type DeepgramSpeakServerOptions,
} from '../../src/testing/servers/index.ts'
import { lengthOf, openVoice, pieces, type Speaking } from './speaking.ts'

const KEY = 'dg-secret-0123456789'
const models = ['aura-2-thalia-en', 'flux-alexis-en']

let loopback: LoopbackServer

beforeAll(async () => {
  loopback = await LoopbackServer.listen()
})

afterAll(() => loopback.close())
afterEach(() => vi.unstubAllEnvs())

for (const model of models) {
  conformance({ describe, it }, `${model} on a simulated network`, ttsConformance, ({ clock, network }) => {
    const server = new DeepgramSpeakServer({ clock, key: KEY })
    network!.serve = server.serve
    return subject(server, { model })
  })

  conformance(
    { describe, it },
    `${model} on real sockets`,
    ttsConformance,
    () => {
      const server = new DeepgramSpeakServer({ key: KEY, every: 1 })
      loopback.serve = server.serve
      return subject(server, { model, url: loopback.url })
    },
    onFastStage(4),
  )
}

function subject(server: DeepgramSpeakServer, options: DeepgramTtsOptions) {
  return {
    tts: new DeepgramTts({ apiKey: KEY, ...options }),
    refuses: () => {
      server.manners.refuse = 401
    },
    breaks: () => {
      server.rude.add('fails')
    },
  }
}

async function open(
  world: World,
  model: string,
  manners: DeepgramSpeakServerOptions = {},
  options: DeepgramTtsOptions = {},
): Promise<Speaking & { readonly server: DeepgramSpeakServer }> {
  const server = new DeepgramSpeakServer({ clock: world.clock, key: KEY, ...manners })
  return { server, ...(await openVoice(world, server, new DeepgramTts({ apiKey: KEY, model, ...options }))) }
}

describe('DeepgramTts', () => {
  it('needs a key', () => {
    vi.stubEnv('DEEPGRAM_API_KEY', '')
    expect(() => new DeepgramTts()).toThrow('DEEPGRAM_API_KEY')
  })

  it('has its options in the URL, and speaks mu-law to a phone', () =>
    inVirtualTime(async (world) => {
      const server = new DeepgramSpeakServer({ clock: world.clock })
      const { context, speak } = await openVoice(
        world,
        server,
        new DeepgramTts({ apiKey: KEY, extra: { mip_opt_out: true } }),
        muLaw,
      )
      expect(lengthOf((await speak('Good morning.')).chunks)).toBe(650)
      expect(server.dials[0]?.url).toBe(
        'wss://api.deepgram.com/v1/speak?model=aura-2-thalia-en&encoding=mulaw&sample_rate=8000&mip_opt_out=true',
      )
      await context.scope.close()
    }))

  it('leaves no socket open', async () => {
    await loopback.whenIdle()
    expect(loopback.open).toBe(0)
  })
})

describe.each(models)('%s', (model) => {
  it('flushes each speech once, and speaks one after the other', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, model)
      const texts = ['One two three.', 'Four five six.', 'Seven.']
      const all = await Promise.all(texts.map((text) => speak(text)))
      expect(all.map(({ text }) => text)).toEqual(texts)
      const types = server.sessions[0]!.requests.map(({ type }) => type).filter((type) => type !== 'Speak')
      expect(types).toEqual(['Flush', 'Flush', 'Flush'])
      await context.scope.close()
    }))

  it.each([0, 50])(
    'starts the next speech only when an aborted one has ended, aborted after %i ms',
    (after) =>
      inVirtualTime(async (world) => {
        const { server, context, speak } = await open(world, model, { thinks: 20 })
        const stop = new AbortController()
        world.clock.happen(after, 'interrupts', () => stop.abort('interrupted'))
        const [one, two] = await Promise.all([
          speak('Good morning to you, and to all of your friends.', stop.signal),
          speak('Sorry.'),
        ])
        expect(one.error).toBe('interrupted')
        expect(two.text).toBe('Sorry.')
        await context.scope.close()
        expect(server.sessions).toHaveLength(1)
        expect(server.sessions[0]!.requests.filter(({ type }) => type === 'Flush')).toHaveLength(2)
      }),
  )

  it('takes a new connection when the service does not confirm a cancel, so that no sound is mixed', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(
        world,
        model,
        { every: 100, rude: ['never cleared', 'never flushed'] },
        { stallTimeout: 1_000 },
      )
      const stop = new AbortController()
      world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
      await speak('Good morning to you, and to all of your friends. '.repeat(5), stop.signal)
      await world.clock.elapse(50)
      server.rude.clear()
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }))

  it('repeats a speech when the connection broke before its first audio', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, model, { thinks: 100 })
      world.clock.happen(50, 'breaks', () => server.drop())
      expect((await speak('Good morning.')).text).toBe('Good morning.')
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }))

  it.each(['drops mid-speech', 'fails'] as const)(
    'fails a speech when the service %s, and no other',
    (rude) =>
      inVirtualTime(async (world) => {
        const { server, context, speak } = await open(world, model, { rude: [rude] })
        const failed = await speak('Good morning to you.')
        expect(failed.error).toMatchObject({ code: 'PROVIDER_FAILED', retryable: true })
        server.rude.clear()
        expect((await speak('Sorry.')).text).toBe('Sorry.')
        await context.scope.close()
      }),
  )

  it.each(['mute', 'never flushed'] as const)(
    'fails a speech after stallTimeout if the service is %s',
    (rude) =>
      inVirtualTime(async (world) => {
        const { server, context, speak } = await open(
          world,
          model,
          { rude: [rude, 'never flushed'] },
          { stallTimeout: 3_000 },
        )
        expect((await speak('Yes.')).error).toMatchObject({ code: 'PART_TIMEOUT' })
        expect(world.clock.now()).toBeLessThan(3_300)
        server.rude.clear()
        expect((await speak('Sorry.')).text).toBe('Sorry.')
        await context.scope.close()
      }),
  )

  it('[PR1] reconnects when the service sends a malformed message', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, model, { thinks: 100 })
      world.clock.happen(50, 'malformed', () =>
        server.open[0]!.connection.send('{"type":"Warning","code":{"a":1}}'),
      )
      expect((await speak('Good morning.')).text).toBe('Good morning.')
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }))

  it('sleeps after the service closed an idle connection, until the next speech', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, model)
      await speak('Yes.')
      server.close(1011, 'NET-0001')
      await world.clock.elapse(60_000)
      expect(world.network.dials).toBe(1)
      expect((await speak('No.')).text).toBe('No.')
      await context.scope.close()
    }))
})

describe('Flux', () => {
  it('ends a speech that is aborted before its first audio and before the end of its text', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, models[1]!, { thinks: 100 })
      const stop = new AbortController()
      world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
      async function* hanging(): AsyncGenerator<string> {
        yield 'Good morning.'
        await new Promise(() => {})
      }
      const [one, two] = await Promise.all([speak(hanging(), stop.signal), speak('Sorry.')])
      expect(one.error).toBe('interrupted')
      expect(two.text).toBe('Sorry.')
      expect(world.clock.now()).toBeLessThan(2_000)
      await context.scope.close()
      expect(server.sessions).toHaveLength(1)
    }))

  it('is not ended by a late message about an earlier speech', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, models[1]!)
      await speak('Yes.')
      world.clock.happen(30, 'late', () =>
        server.open[0]!.connection.send('{"type":"Flushed","speech_id":"dg_sp_000000000000"}'),
      )
      expect((await speak('Good morning to you.')).text).toBe('Good morning to you.')
      await context.scope.close()
    }))
})

describe('Aura', () => {
  it('fails a speech that Deepgram does not speak because of too many flushes', () =>
    inVirtualTime(async (world) => {
      const { context, speak } = await open(world, models[0]!)
      for (let index = 0; index < 20; index++) expect((await speak('Yes.')).error).toBeUndefined()
      expect((await speak('Yes.')).error).toMatchObject({
        code: 'PROVIDER_FAILED',
        status: 429,
        retryable: true,
      })
      await context.scope.close()
    }))
})

describe("Deepgram's SDK", () => {
  it.each(['v1', 'v2'] as const)('completes a session with our server, version %s', async (version) => {
    const deepgram = new DeepgramSpeakServer({ key: KEY, every: 1 })
    await using server = await LoopbackServer.listen({ serve: deepgram.serve })
    const client = new DeepgramClient({ apiKey: KEY, baseUrl: server.url })
    const options = {
      Authorization: `Token ${KEY}`,
      encoding: 'linear16',
      sample_rate: 16_000,
      reconnectAttempts: 0,
    } as const
    const socket =
      version === 'v1'
        ? await client.speak.v1.connect({ ...options, model: models[0]! } as never)
        : await client.speak.v2.connect({ ...options, model: models[1]! } as never)
    const types: string[] = []
    const sounds: Promise<ArrayBuffer>[] = []
    let flushed: () => void = () => {}
    const done = new Promise<void>((resolve) => (flushed = resolve))
    const closed = new Promise<number>((resolve) => socket.on('close', ({ code }) => resolve(code)))
    socket.on('message', (message: unknown) => {
      if (message instanceof Blob) return void sounds.push(message.arrayBuffer())
      const { type } = message as { type: string }
      types.push(type)
      return type === 'Flushed' ? flushed() : undefined
    })
    socket.on('error', () => {})
    socket.connect()
    await socket.waitForOpen()
    for await (const text of pieces('Good morning.')) {
      if ('sendText' in socket) socket.sendText({ type: 'Speak', text })
      else socket.sendSpeak({ type: 'Speak', text })
    }
    socket.sendFlush({ type: 'Flush' })
    await done
    socket.sendClose({ type: 'Close' })
    expect(await closed).toBe(1000)
    socket.close()
    const frames = (await Promise.all(sounds)).map((bytes) => ({
      samples: samplesFromBytes(new Uint8Array(bytes)),
      sampleRate: 16_000 as const,
    }))
    expect(textOf(frames)).toBe('Good morning.')
    expect(types).toEqual(
      version === 'v1'
        ? ['Metadata', 'Flushed']
        : ['Connected', 'SpeechStarted', 'SpeechMetadata', 'Flushed'],
    )
    await server.whenIdle()
  })

  it('has types that match the messages of our server and of the provider', () => {
    type Of<Type> = Extract<FluxSpeakEvent, { type: Type }>
    expectTypeOf<Of<'Connected'>>().toExtend<Deepgram.speak.SpeakV2Connected>()
    expectTypeOf<Of<'SpeechMetadata'>>().toExtend<Deepgram.speak.SpeakV2SpeechMetadata>()
    expectTypeOf<Of<'SpeechInterrupted'>>().toExtend<Deepgram.speak.SpeakV2SpeechInterrupted>()
    expectTypeOf<Of<'Warning'>>().toExtend<Deepgram.speak.SpeakV2Warning>()
    expectTypeOf<Deepgram.speak.SpeakV2Warning>().toExtend<SpeakWarning>()
    expectTypeOf<Deepgram.speak.SpeakV2Error>().toExtend<SpeakError>()
    expectTypeOf<SpeakControl & { type: 'Speak' }>().toExtend<Deepgram.speak.SpeakV2Speak>()
    expectTypeOf<SpeakControl & { type: 'Interrupt' }>().toExtend<Deepgram.speak.SpeakV2Interrupt>()
    expectTypeOf<SpeakControl & { type: 'Clear' }>().toExtend<Deepgram.speak.SpeakV1Clear>()
  })
})
