import type { IncomingMessage, ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  MissingKeyError,
  OpenAIHttpTts,
  type OpenAIHttpTtsOptions,
} from '../../../src/providers/openai/index.ts'
import { systemClock, type Clock, type Random, type Timer } from '../../../src/scope/index.ts'
import {
  conformance,
  onFastStage,
  partContext,
  textOf,
  ttsConformance,
  type TestPartContext,
} from '../../../src/testing/index.ts'
import { pieces, take } from '../../../src/testing/conformance/take.ts'
import {
  LoopbackServer,
  OpenAISpeechServer,
  type OpenAISpeechServerOptions,
  type SpeechManners,
} from '../../../src/testing/servers/index.ts'
import { KEY } from './fixture.ts'

let speech = new OpenAISpeechServer()
let server: LoopbackServer
/** Receives each request before the speech server does. If it returns true, the server never sees the request. */
let intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

// One for each test: a request that was given up may still arrive when the test is over.
beforeEach(async () => {
  server = await LoopbackServer.listen({
    http: (request, response) => {
      if (!intercept(request, response)) speech.http(request, response)
    },
  })
})

afterEach(() => server.close())

conformance(
  { describe, it },
  'OpenAI speech over HTTP',
  ttsConformance,
  () => {
    speech = new OpenAISpeechServer({ apiKey: KEY, speed: 50 })
    return {
      tts: new OpenAIHttpTts({ apiKey: KEY, model: 'kokoro', url: speech.urlAt(server) }),
      breaks: () => {
        speech.treats(...Array.from({ length: 20 }, () => ({ refuse: 500 })))
      },
    }
  },
  onFastStage(4),
)

interface Speaking {
  readonly context: TestPartContext
  readonly speak: (
    text: string,
    signal?: AbortSignal,
  ) => Promise<{ readonly text: string; readonly error?: unknown }>
}

/** Opens a voice. `manners` says how the server treats each of the next requests. */
async function speaker(
  manners: readonly SpeechManners[] = [],
  options: Partial<OpenAIHttpTtsOptions> = {},
  serverOptions: OpenAISpeechServerOptions = {},
  clock: Clock = systemClock,
): Promise<Speaking> {
  speech = new OpenAISpeechServer({ apiKey: KEY, speed: Infinity, ...serverOptions }).treats(...manners)
  const random: Random = { next: () => 0 }
  const context = partContext({ clock, random })
  const voice = await new OpenAIHttpTts({
    apiKey: KEY,
    model: 'kokoro',
    url: speech.urlAt(server),
    ...options,
  }).open(context)
  const speak: Speaking['speak'] = async (text, signal = new AbortController().signal) => {
    const { values, error } = await take(voice.speak(pieces(text), signal))
    const said = textOf(values.map(({ frame }) => frame))
    return error === undefined ? { text: said } : { text: said, error }
  }
  return { context, speak }
}

const howAll = (): string[] => speech.requests.map(({ how }) => how)

describe('OpenAI speech', () => {
  afterEach(() => {
    intercept = () => false
    vi.unstubAllEnvs()
  })

  it('requests a text sentence by sentence, with its options', async () => {
    const { context, speak } = await speaker([], {
      model: 'tts-2',
      voice: 'coral',
      instructions: 'Speak calmly.',
      speed: 1.5,
    })
    expect(await speak('Good morning. How are you?')).toEqual({ text: 'Good morning. How are you?' })
    expect(speech.requests.map(({ body }) => body)).toEqual(
      ['Good morning. ', 'How are you?'].map((input) => ({
        model: 'tts-2',
        voice: 'coral',
        response_format: 'pcm',
        instructions: 'Speak calmly.',
        speed: 1.5,
        input,
      })),
    )
    await context.scope.close()
  })

  it.each<[what: string, samples: number, error: object]>([
    ['no sound', 0, { code: 'PROVIDER_FAILED', retryable: true }],
    ['far too much sound', 24_000 * 60, { code: 'PROVIDER_FAILED', retryable: false }],
  ])('[PR3] that has %s for its text fails', async (_, samples, error) => {
    intercept = (_request, response) => {
      response.end(Buffer.alloc(samples * 2))
      return true
    }
    const { context, speak } = await speaker([])
    expect((await speak('Hello.')).error).toMatchObject(error)
    await context.scope.close()
  })

  it('[PR3] that trickles more slowly than it is heard fails', async () => {
    let timer: Timer | undefined
    const trickle = (response: ServerResponse): void => {
      response.write(Buffer.alloc(2))
      timer = systemClock.after(10, 'trickle', () => trickle(response))
    }
    intercept = (_request, response) => {
      trickle(response)
      return true
    }
    const { context, speak } = await speaker([], { stallTimeout: 50 })
    expect((await speak('Hello.')).error).toMatchObject({ code: 'PART_TIMEOUT' })
    timer?.clear()
    await context.scope.close()
  })

  it('goes to the configured URL, with the key in the configured header', async () => {
    const seen: unknown[] = []
    intercept = ({ url, headers }, response) => {
      seen.push(url, headers['api-key'], headers['x-team'])
      response.end(Buffer.alloc(4_800))
      return true
    }
    const { context, speak } = await speaker([], {
      auth: 'api-key',
      query: { 'api-version': '2025-04-01-preview' },
      headers: { 'x-team': 'phones' },
    })
    expect((await speak('Hello.')).error).toBeUndefined()
    expect(seen).toEqual(['/v1/audio/speech?api-version=2025-04-01-preview', KEY, 'phones'])
    await context.scope.close()
  })

  it('needs a key and never exposes it', async () => {
    vi.stubEnv('OPENAI_API_KEY', '')
    expect(() => new OpenAIHttpTts({ model: 'kokoro' })).toThrow(MissingKeyError)
    const tts = new OpenAIHttpTts({ apiKey: KEY, model: 'kokoro' })
    expect(inspect(tts, { depth: 9, showHidden: true }) + JSON.stringify(tts)).not.toContain(KEY)
    const { context, speak } = await speaker([], { apiKey: 'sk-wrong-0123456789' })
    const { error } = await speak('Hello.')
    expect(error).toMatchObject({ code: 'PROVIDER_FAILED', status: 401, retryable: false })
    expect(inspect(error)).not.toContain('wrong')
    expect(howAll()).toEqual(['refused'])
    await context.scope.close()
  })

  it.each([429, 500, 503])('is retried once after status %i', async (refuse) => {
    const { context, speak } = await speaker([{ refuse }])
    expect(await speak('Hello.')).toEqual({ text: 'Hello.' })
    expect(howAll()).toEqual(['refused', 'answered'])
    speech.treats({ refuse }, { refuse, message: 'Too much.' })
    expect((await speak('Hello.')).error).toMatchObject({
      status: refuse,
      retryable: true,
      message: expect.stringContaining('Too much.') as string,
    })
    await context.scope.close()
  })

  it('is not retried after status 400', async () => {
    const { context, speak } = await speaker([{ refuse: 400, message: 'No such voice.' }])
    expect((await speak('Hello.')).error).toMatchObject({
      status: 400,
      message: 'openai-http-tts answered with status 400: No such voice.',
    })
    expect(howAll()).toEqual(['refused'])
    await context.scope.close()
  })

  it('reads only the beginning of an error response', async () => {
    const ended = new Promise<void>((resolve) => {
      intercept = (_, response) => {
        const write = (): void => {
          while (response.write('x'.repeat(1_000)));
        }
        response.writeHead(400).on('drain', write).on('close', resolve)
        write()
        return true
      }
    })
    const { context, speak } = await speaker()
    const { error } = await speak('Hello.')
    expect(error).toMatchObject({ code: 'PROVIDER_FAILED', status: 400 })
    expect((error as Error).message.length).toBeLessThan(5_000)
    await ended
    await context.scope.close()
  })

  it.each([
    ['retry-after-ms', '30', 30],
    ['retry-after', '1', 1_000],
    ['retry-after', 'Fri, 31 Dec 1999 23:59:59 GMT', 0],
  ])('waits before the retry as %s: %s says', async (header, value, expected) => {
    const waits: number[] = []
    const clock: Clock = {
      now: () => systemClock.now(),
      date: () => systemClock.date(),
      timers: systemClock.timers,
      after: (ms, name, callback) => {
        if (!name.startsWith('retry')) return systemClock.after(ms, name, callback)
        waits.push(ms)
        return systemClock.after(0, name, callback)
      },
    }
    intercept = (_, response) => {
      intercept = () => false
      response.writeHead(429, { [header]: value }).end()
      return true
    }
    const { context, speak } = await speaker([], {}, {}, clock)
    expect(await speak('Hello.')).toEqual({ text: 'Hello.' })
    expect(waits).toEqual([expected])
    await context.scope.close()
  })

  it('fails at once if retry-after is too long for a caller to wait', async () => {
    intercept = (_, response) => {
      response.writeHead(429, { 'retry-after': '20' }).end('{"error":{"message":"Slow down."}}')
      return true
    }
    const { context, speak } = await speaker()
    expect((await speak('Hello.')).error).toMatchObject({ status: 429, retryable: true })
    expect(speech.requests).toEqual([])
    await context.scope.close()
  })

  it('fails after the audio received so far if its connection breaks', async () => {
    const { context, speak } = await speaker([{ dropsAfter: 250 }])
    const { text, error } = await speak('Good morning to you.')
    expect(text).toBe('Good ')
    expect(error).toMatchObject({ code: 'PROVIDER_FAILED', retryable: true })
    expect(howAll()).toEqual(['dropped'])
    await context.scope.close()
  })

  it('is retried once if it cannot connect', async () => {
    intercept = ({ socket }) => {
      intercept = () => false
      socket.destroy()
      return true
    }
    const { context, speak } = await speaker()
    expect(await speak('Hello.')).toEqual({ text: 'Hello.' })
    await context.scope.close()
  })

  it.each<[what: string, manners: SpeechManners, text: string]>([
    ['never starts', 'hangs', ''],
    ['stalls', { stallsAfter: 250 }, 'Good '],
  ])('fails after stallTimeout if the response %s', async (_, manners, expected) => {
    const { context, speak } = await speaker([manners], { stallTimeout: 200 })
    const { text, error } = await speak('Good morning to you.')
    expect(text).toBe(expected)
    expect(error).toMatchObject({ code: 'PART_TIMEOUT' })
    await server.whenIdle()
    expect(howAll()).toEqual(['left'])
    await context.scope.close()
  })

  it.each<[what: string, manners: SpeechManners]>([
    ['before the headers', 'hangs'],
    ['in the body', { stallsAfter: 100 }],
  ])('[SC17] aborts its request when it is interrupted or its scope closes %s', async (_, manners) => {
    const stopped = await speaker([manners])
    const stop = new AbortController()
    const speech1 = stopped.speak('Good morning.', stop.signal)
    await speech.until(() => speech.open === 1)
    stop.abort('interrupted')
    expect((await speech1).error).toBe('interrupted')
    await server.whenIdle()
    expect(howAll()).toEqual(['left'])
    await stopped.context.scope.close()

    const closed = await speaker([manners])
    const speech2 = closed.speak('Good morning.')
    await speech.until(() => speech.open === 1)
    const report = await closed.context.scope.close()
    expect(report.clean).toBe(true)
    expect((await speech2).error).toBeDefined()
    await server.whenIdle()
    expect(howAll()).toEqual(['left'])
  })

  it('leaves no connection open', async () => {
    await server.whenIdle()
    expect(server.open).toBe(0)
  })
})
