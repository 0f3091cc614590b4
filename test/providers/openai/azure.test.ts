import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pcm } from '../../../src/audio/index.ts'
import { OpenAIEndpoint } from '../../../src/providers/openai/endpoint.ts'
import { OpenAIHttpTts, OpenAIRealtime, OpenAIStt, OpenAITts } from '../../../src/providers/openai/index.ts'
import { Agent, Session } from '../../../src/session/index.ts'
import { TestLine, inVirtualTime } from '../../../src/testing/index.ts'
import { LoopbackServer, OpenAIRealtimeServer } from '../../../src/testing/servers/index.ts'
import { KEY, talk } from './fixture.ts'

const MINUTE = 60_000
const ENDPOINT = 'https://house.openai.azure.com/'

describe('OpenAI on Azure', () => {
  beforeEach(() => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-openai')
    vi.stubEnv('OPENAI_BASE_URL', '')
    vi.stubEnv('AZURE_OPENAI_ENDPOINT', ENDPOINT)
    vi.stubEnv('AZURE_OPENAI_API_KEY', KEY)
  })
  afterEach(() => vi.unstubAllEnvs())

  it.each(['api-key', 'entra-id'] as const)('is dialled at AZURE_OPENAI_ENDPOINT with auth: %s', (auth) => {
    const apiKey = () => KEY
    const urlOf = (url?: string): string =>
      new OpenAIEndpoint({ auth, apiKey, ...(url === undefined ? {} : { url }) }).httpUrl('/x')
    expect(urlOf()).toBe('https://house.openai.azure.com/openai/v1/x')
    expect(urlOf('https://other.test/v1')).toBe('https://other.test/v1/x')
    vi.stubEnv('AZURE_OPENAI_ENDPOINT', '')
    expect(() => urlOf()).toThrow('AZURE_OPENAI_ENDPOINT')
    vi.stubEnv('OPENAI_BASE_URL', 'https://base.test/openai/v1')
    expect(urlOf()).toBe('https://base.test/openai/v1/x')
  })

  it('is not dialled because of its variables alone', () => {
    expect(new OpenAIEndpoint({}).httpUrl('/x')).toBe('https://api.openai.com/v1/x')
  })

  it('gets the key of AZURE_OPENAI_API_KEY in its own header', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world, {
        openai: { auth: 'api-key', apiKey: undefined as never, model: 'voice' },
      })
      expect(server.dials).toMatchObject([
        {
          url: 'wss://house.openai.azure.com/openai/v1/realtime?model=voice',
          headers: { 'api-key': KEY },
        },
      ])
      await context.scope.close()
    }))

  it.each<[what: string, make: (options: object) => unknown]>([
    ['OpenAIRealtime', (options) => new OpenAIRealtime(options)],
    ['OpenAIStt', (options) => new OpenAIStt(options)],
    ['OpenAITts', (options) => new OpenAITts(options)],
  ])('is refused with an api-version, which selects the preview: %s', (_, make) => {
    const preview = 'https://house.openai.azure.com/openai?deployment=voice&api-version=2025-04-01-preview'
    for (const options of [{ query: { 'api-version': 'preview' } }, { url: preview }]) {
      const attempt = () => make({ auth: 'api-key', ...options })
      expect(attempt).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }))
      expect(attempt).toThrow("'api-version' selects the preview of Azure's realtime API")
    }
  })

  it('may have an api-version for speech over HTTP', () => {
    const query = { 'api-version': 'preview' }
    const make = () => new OpenAIHttpTts({ auth: 'api-key', query, model: 'voice' })
    expect(make).not.toThrow()
  })

  it('needs a function for tokens of Entra ID, because they expire', () => {
    const make = (apiKey?: string) => () => new OpenAIRealtime({ auth: 'entra-id', apiKey: apiKey! })
    expect(make()).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }))
    expect(make('token')).toThrow("auth 'entra-id' needs an apiKey that is a function")
  })

  it('never gets a key of the environment in place of a token', () =>
    inVirtualTime(async (world) => {
      const tokens = [async () => undefined as never, () => undefined as never]
      for (const apiKey of tokens)
        await expect(talk(world, { openai: { auth: 'entra-id', apiKey } })).rejects.toThrow()
      expect(world.network.dials).toBe(0)
    }))

  it('is dialled again after a token could not be fetched, and is not if the token is refused', () =>
    inVirtualTime(async (world) => {
      let failures = 2
      const apiKey = async (): Promise<string> => {
        if (failures-- > 0) throw new Error('Entra ID is unavailable')
        return KEY
      }
      const { server, context } = await talk(world, { openai: { auth: 'entra-id', apiKey } })
      expect(server.dials).toHaveLength(1)
      expect(server.dials[0]?.headers).toEqual({ authorization: `Bearer ${KEY}` })
      await context.scope.close()
      const refused = talk(world, { openai: { auth: 'entra-id', apiKey: async () => 'expired' } })
      await expect(refused).rejects.toMatchObject({ code: 'LINK_REFUSED' })
    }))

  it('[LK5] fails in bounded time if no token ever arrives', () =>
    inVirtualTime(async (world) => {
      let calls = 0
      const apiKey = (): Promise<string> => {
        calls++
        return new Promise(() => {})
      }
      const failed = talk(world, { openai: { auth: 'entra-id', apiKey } })
      await expect(failed).rejects.toMatchObject({ code: expect.stringMatching(/^LINK_/) as string })
      expect(calls).toBeGreaterThan(0)
      expect(world.network.dials).toBe(0)
      expect(world.clock.now()).toBeLessThan(60_000)
    }))

  it('[CL1] closes at once while a token is being fetched', () =>
    inVirtualTime(async (world) => {
      let calls = 0
      const apiKey = (): string | Promise<string> => (++calls > 1 ? new Promise(() => {}) : KEY)
      const { server, context } = await talk(world, { openai: { auth: 'entra-id', apiKey } })
      server.drop()
      await world.clock.elapse(2_000)
      expect(calls).toBe(2)
      const before = world.clock.now()
      await context.scope.close()
      expect(world.clock.now() - before).toBeLessThan(1_000)
      expect(world.network.dials).toBe(1)
    }))

  it('[LK8] gets a new token for each connection, also when it moves before the end of a session', () =>
    inVirtualTime(async (world) => {
      let tokens = 0
      const apiKey = async (): Promise<string> => {
        await world.clock.elapse(200, 'token')
        return `token-${++tokens}`
      }
      const { server, context } = await talk(world, {
        apiKey: undefined as never,
        openai: { auth: 'entra-id', apiKey },
      })
      await world.clock.elapse(59 * MINUTE)
      server.drop()
      await world.clock.elapse(59 * MINUTE)
      expect(server.dials.map(({ headers }) => headers?.['authorization'])).toEqual([
        'Bearer token-1',
        'Bearer token-2',
        'Bearer token-3',
        'Bearer token-4',
      ])
      await context.scope.close()
    }))

  it('gets a new token after a drop and after the end of a session, over real sockets', async () => {
    let tokens = 0
    const used = new Set<unknown>()
    const vendor = new OpenAIRealtimeServer({ answers: ['One.', 'Two.', 'Three.'], speed: 100 })
    await using server = await LoopbackServer.listen({
      serve: (request) => {
        const token = request.headers?.['authorization']
        const refuses = used.has(token)
        used.add(token)
        return refuses ? { refuse: 401 } : vendor.serve(request)
      },
    })
    const apiKey = async (): Promise<string> => `token-${++tokens}`
    const url = `${server.url}/openai/v1`
    const realtime = new OpenAIRealtime({ url, auth: 'entra-id', apiKey, model: 'voice' })
    const line = new TestLine({ hears: pcm(24_000) })
    const session = new Session({
      agent: new Agent({ instructions: 'Be brief.' }),
      models: { realtime },
      line,
    })
    await session.start()
    const heard: string[] = []
    const answered = async (): Promise<void> => {
      await server.until(() => vendor.open.length === 1)
      for (const { heard: text } of await session.reply().waitForPlayout()) heard.push(text)
    }
    await answered()
    vendor.drop()
    await answered()
    vendor.expire()
    await answered()
    const { connections, errors } = await session.close()
    expect(heard).toEqual(['One.', 'Two.', 'Three.'])
    expect([...used]).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-3'])
    expect(errors).toEqual([])
    expect(JSON.stringify(connections)).not.toContain('token-')
    await server.whenIdle()
  })
})
