import { describe, expect, it } from 'vitest'
import { muLaw } from '../../../src/audio/index.ts'
import { RimeTts, type RimeTtsOptions } from '../../../src/providers/rime/index.ts'
import { inVirtualTime, type World } from '../../../src/testing/index.ts'
import { RimeServer, type RimeServerOptions } from '../../../src/testing/servers/index.ts'
import { openVoice, type Speaking } from '../speaking.ts'

const apiKey = 'rime-secret-0123456789'

async function open(
  world: World,
  manners: RimeServerOptions = {},
  options: Partial<RimeTtsOptions> = {},
): Promise<Speaking & { readonly server: RimeServer }> {
  const server = new RimeServer({ clock: world.clock, key: apiKey, ...manners })
  const tts = new RimeTts({ apiKey, voice: 'lyra', ...options })
  return { server, ...(await openVoice(world, server, tts)) }
}

describe('RimeTts options', () => {
  it('are sent at the start of each speech', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(
        world,
        {},
        {
          language: 'es',
          sampleRate: 8_000,
          extra: { audioParameters: { timeScaleFactor: 1.1 }, codaParameters: { textLookaheadTokens: 4 } },
        },
      )
      await speak('Buenos días. Adiós.')
      const contextId = 'speech-1'
      expect(server.sessions[0]?.requests).toEqual([
        {
          contextId,
          start: {
            speaker: 'lyra',
            language: 'es',
            audioParameters: { audioFormat: 'audio/pcm', samplingRate: 8_000, timeScaleFactor: 1.1 },
            timestamps: { enable: true },
            codaParameters: { textLookaheadTokens: 4 },
          },
        },
        { contextId, text: 'Buenos días. ' },
        { contextId, text: 'Adiós.' },
        { contextId, end: {} },
      ])
      expect(server.dials[0]).toMatchObject({ url: 'wss://coda.api.rime.ai/ws', protocols: ['rime.v1.json'] })
      await context.scope.close()
    }))

  it.each([
    [{ model: 'mistv3' }, 'wss://mist.api.rime.ai/ws'],
    [{ model: 'own', url: 'wss://rime.example.com/' }, 'wss://rime.example.com/ws'],
  ])('choose the address: %o', (options, url) =>
    inVirtualTime(async (world) => {
      const { server, context } = await open(world, {}, options)
      expect(server.dials[0]?.url).toBe(url)
      await context.scope.close()
    }),
  )

  it('refuse a model that has no address', () => {
    expect(() => new RimeTts({ apiKey, voice: 'lyra', model: 'arcana' })).toThrow('coda or mistv3')
  })

  it('include mu-law for the phone', () =>
    inVirtualTime(async (world) => {
      const server = new RimeServer({ clock: world.clock })
      const { context, speak } = await openVoice(world, server, new RimeTts({ apiKey, voice: 'lyra' }), muLaw)
      await speak('Yes.')
      expect(server.sessions[0]?.requests[0]).toMatchObject({
        start: { audioParameters: { audioFormat: 'audio/pcmu', samplingRate: 8_000 } },
      })
      await context.scope.close()
    }))
})

describe('Rime', () => {
  it('speaks although the times of its words are missing or make no sense', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['untimed'] })
      expect(await speak('Good morning.')).toMatchObject({ text: 'Good morning.', words: [] })
      server.rude.clear()
      world.clock.happen(50, 'times', () => {
        const spans = [
          { text: 'Good', start: 'now', end: '1s' },
          { text: 'morning.', start: '0.25s', end: '1s' },
          { text: 'ignored', end: '2' },
        ]
        const done = { contextId: 'speech-2', done: { timestamps: { spans } } }
        server.open[0]!.connection.send(JSON.stringify(done))
      })
      const { words } = await speak('Good morning.')
      expect(words).toEqual([{ text: 'morning. ', start: 250, end: 1_000 }])
      await context.scope.close()
    }))

  it('has times for a speech of thousands of words', () =>
    inVirtualTime(async (world) => {
      const { context, speak } = await open(world, { msPerCharacter: 10 })
      const { words, error } = await speak('One two three four five. '.repeat(400).trim())
      expect(error).toBeUndefined()
      expect(words).toHaveLength(2_000)
      await context.scope.close()
    }))

  it('is not open until the service is ready', () =>
    inVirtualTime(async (world) => {
      const opening = open(world, { rude: ['never ready'] })
      await expect(opening).rejects.toMatchObject({ code: 'LINK_TIMEOUT' })
    }))

  it('fails with a service of another version', () =>
    inVirtualTime(async (world) => {
      const server = { serve: () => ({ opened: (peer: Peer) => peer.send('{"ready":{"protocol":2}}') }) }
      const opening = openVoice(world, server, new RimeTts({ apiKey, voice: 'lyra' }))
      await expect(opening).rejects.toMatchObject({
        code: 'LINK_FATAL',
        message: expect.stringContaining('version 2'),
      })
    }))

  it.each<[kind: string, status: number | undefined, retryable: boolean]>([
    ['invalid_input', 400, false],
    ['resource_exhausted', 429, true],
    ['unavailable', 503, true],
    ['something_new', undefined, false],
  ])('fails one speech for the error %s', (kind, status, retryable) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(50, 'fails', () =>
        server.open[0]!.send({ contextId: 'speech-1', error: { kind, message: 'sorry' } }),
      )
      const { error } = await speak('Good morning.')
      expect(error).toMatchObject({ code: 'PROVIDER_FAILED', retryable })
      expect((error as { status?: number }).status).toBe(status)
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }),
  )

  it('fails a speech that the service cancels unasked', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      world.clock.happen(25, 'cancels', () => server.open[0]!.send({ contextId: 'speech-1', cancelled: {} }))
      const { error } = await speak('Good morning to you.')
      expect(error).toMatchObject({ code: 'PROVIDER_FAILED', status: 503, retryable: true })
      await context.scope.close()
    }))

  it('keeps the connection after an error that names no speech, unless the key is wrong', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      server.open[0]!.send({ error: { kind: 'invalid_input', message: 'what?' } })
      expect((await speak('Good morning.')).text).toBe('Good morning.')
      expect(world.network.dials).toBe(1)
      world.clock.happen(50, 'fails', () =>
        server.open[0]!.send({ error: { kind: 'unauthenticated', message: 'no such key' } }),
      )
      expect((await speak('Hello?')).error).toMatchObject({ code: 'LINK_FATAL' })
      expect(world.network.dials).toBe(1)
      await context.scope.close()
    }))
})

interface Peer {
  send(data: string): void
}
