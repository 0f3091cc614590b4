import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { bytesOf, muLaw } from '../../../src/audio/index.ts'
import type { Voice } from '../../../src/parts/index.ts'
import { Agent, Session, formatSession } from '../../../src/session/index.ts'
import { MissingKeyError, OpenAITts, type OpenAITtsOptions } from '../../../src/providers/openai/index.ts'
import {
  conformance,
  inVirtualTime,
  onFastStage,
  partContext,
  ScriptedLlm,
  TestLine,
  textOf,
  ttsConformance,
  type TestPartContext,
  type World,
} from '../../../src/testing/index.ts'
import { pieces, take } from '../../../src/testing/conformance/take.ts'
import {
  LoopbackServer,
  OpenAIRealtimeServer,
  type OpenAIRealtimeServerOptions,
  type OpenAITurn,
} from '../../../src/testing/servers/index.ts'
import { KEY, serve, type Intercept } from './fixture.ts'

const reads = ({ user }: OpenAITurn): string => user

const subjectOf = (server: OpenAIRealtimeServer, tts: OpenAITts) => ({
  tts,
  refuses: () => {
    server.manners.refuse = 401
  },
})

conformance(
  { describe, it },
  'OpenAI speech on a simulated network',
  ttsConformance,
  ({ clock, network }) => {
    let broken = false
    const answers = (turn: OpenAITurn) => (broken ? [{ fail: new Error('broken') }] : reads(turn))
    const server = new OpenAIRealtimeServer({ clock, apiKey: KEY, answers })
    network!.serve = server.serve
    return { ...subjectOf(server, new OpenAITts({ apiKey: KEY })), breaks: () => void (broken = true) }
  },
)

let loopback: LoopbackServer
beforeAll(async () => {
  loopback = await LoopbackServer.listen()
})
afterAll(() => loopback.close())

conformance(
  { describe, it },
  'OpenAI speech on real sockets',
  ttsConformance,
  () => {
    const server = new OpenAIRealtimeServer({ apiKey: KEY, answers: reads, speed: 50 })
    loopback.serve = server.serve
    return subjectOf(server, new OpenAITts({ apiKey: KEY, url: loopback.url }))
  },
  onFastStage(4),
)

interface Speaking {
  readonly server: OpenAIRealtimeServer
  readonly context: TestPartContext
  readonly voice: Voice
  readonly warnings: object[]
  readonly speak: (text: string, signal?: AbortSignal) => Promise<{ text: string; error?: unknown }>
  /** The types of the events that the newest connection received. */
  readonly sent: () => string[]
}

async function speaker(
  world: World,
  options: OpenAITtsOptions = {},
  manners: OpenAIRealtimeServerOptions = {},
  intercept?: Intercept,
): Promise<Speaking> {
  const server = serve(world, { answers: reads, ...manners }, intercept)
  const warnings: object[] = []
  const logger = { debug() {}, info() {}, warn: (fields: object) => warnings.push(fields), error() {} }
  const context = partContext(world, { logger })
  const voice = await new OpenAITts({ apiKey: KEY, ...options }).open(context)
  const speak: Speaking['speak'] = async (text, signal = new AbortController().signal) => {
    const { values, error } = await take(voice.speak(pieces(text), signal))
    const said = textOf(values.map(({ frame }) => frame))
    return error === undefined ? { text: said } : { text: said, error }
  }
  const sent = (): string[] => server.sessions.at(-1)!.received.map(({ type }) => type)
  return { server, context, voice, warnings, speak, sent }
}

describe('OpenAI speech over Realtime', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('has a realtime model read each sentence out of band, and remember nothing', () =>
    inVirtualTime(async (world) => {
      const options = { voice: { id: 'voice_7' }, instructions: 'Speak calmly.', speed: 1.2 }
      const { server, context, speak, warnings } = await speaker(world, options)
      expect(await speak('Good morning. How are you?')).toEqual({ text: 'Good morning. How are you?' })
      const [dial] = server.dials
      expect(dial?.url).toBe('wss://api.openai.com/v1/realtime?model=gpt-realtime-2.1-mini')
      const [update, first, second] = server.sessions[0]!.received
      expect(update).toMatchObject({
        session: {
          type: 'realtime',
          instructions: expect.stringMatching(/word for word[^]*Speak calmly\.$/) as string,
          tools: [],
          output_modalities: ['audio'],
          audio: { input: { turn_detection: null }, output: { voice: { id: 'voice_7' }, speed: 1.2 } },
        },
      })
      const texts = [first, second].map((event) => event as { response?: { input?: unknown } } | undefined)
      expect(texts.map((event) => event?.response)).toMatchObject(
        ['Good morning. ', 'How are you?'].map((text) => ({
          conversation: 'none',
          input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
        })),
      )
      expect(server.conversation).toEqual([])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('is mu-law on a phone', () =>
    inVirtualTime(async (world) => {
      serve(world, { answers: reads })
      const context = partContext(world)
      const tts = new OpenAITts({ apiKey: KEY })
      expect(tts.speaks).toContainEqual(muLaw)
      const voice = await tts.open(context, { format: muLaw })
      const { values } = await take(voice.speak(pieces('Hello.'), new AbortController().signal))
      const length = values.reduce((sum, { frame }) => sum + bytesOf(frame, muLaw).length, 0)
      expect(length).toBe(6 * 50 * 8)
      await context.scope.close()
    }))

  it('warns, with a count, if the model answers a sentence in place of reading it', () =>
    inVirtualTime(async (world) => {
      const answers = ['It is nine in the morning.', 'Good.', 'I am a language model.']
      const { context, speak, warnings } = await speaker(world, {}, { answers })
      await speak('What time is it?')
      await speak('Good.')
      await speak('And what is your name?')
      expect(warnings).toMatchObject([
        { deviations: 1, sentences: 1 },
        { deviations: 2, sentences: 3 },
      ])
      expect(context.usages.filter(({ deviations }) => deviations)).toEqual([
        { deviations: 1 },
        { deviations: 1 },
      ])
      await context.scope.close()
    }))

  it('[PT4] adds its tokens and deviations to the usage of the session, also of speech that was interrupted', () =>
    inVirtualTime(async (world) => {
      const { clock, random, network } = world
      const usage = { type: 'usage', usage: { inputTokens: 20, outputTokens: 100, cachedTokens: 0 } } as const
      serve(world, {
        answers: [
          ['It is nine.', usage],
          ['Good morning to you.', usage],
        ],
        speed: 1,
      })
      const session = new Session({
        agent: new Agent({ instructions: '' }),
        models: { llm: new ScriptedLlm(), tts: new OpenAITts({ apiKey: KEY }) },
        line: new TestLine(),
        clock,
        random,
        network,
      })
      await session.start()
      await session.say('What time is it?').waitForPlayout()
      session.say('Good morning to you.')
      await clock.elapse(300)
      session.interrupt()
      await clock.elapse(1_000)
      const report = await session.close()
      expect(report.usage).toMatchObject({ deviations: 1 })
      expect(report.usage.inputTokens).toBeGreaterThan(20)
      expect(report.usage.outputTokens).toBeGreaterThan(100)
      expect(formatSession(report)).toContain('1 sentences in other words')
    }))

  it('[SP1] is cancelled when it is interrupted, at any moment', () =>
    inVirtualTime(async (world) => {
      const { context, speak, sent, server } = await speaker(world, {}, { speed: 1 })
      for (const after of [0, 1, 300]) {
        const controller = new AbortController()
        const speaking = speak('A sentence that takes a while to say.', controller.signal)
        await world.clock.elapse(after)
        controller.abort(new Error('interrupted'))
        expect((await speaking).error).toMatchObject({ message: 'interrupted' })
        await world.clock.elapse(100)
      }
      const creates = sent().filter((type) => type === 'response.create').length
      expect(sent().filter((type) => type === 'response.cancel')).toHaveLength(creates)
      expect(creates).toBeGreaterThanOrEqual(2)
      expect(await speak('Next.')).toEqual({ text: 'Next.' })
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it('[LK2] is sent again after a drop before its first sound, and fails after one', () =>
    inVirtualTime(async (world) => {
      const { context, speak, server } = await speaker(world, {}, { firstAfter: 500, speed: 1 })
      const first = speak('Good morning to you all.')
      await world.clock.elapse(300)
      server.drop()
      expect(await first).toEqual({ text: 'Good morning to you all.' })
      const second = speak('Good evening to you all.')
      await world.clock.elapse(800)
      server.drop()
      expect((await second).error).toMatchObject({ code: 'PROVIDER_FAILED', retryable: true })
      expect(await speak('Once more.')).toEqual({ text: 'Once more.' })
      await context.scope.close()
    }))

  it('[PR3] fails without a sound, with far too much of it, and when the service refuses or fails it', () =>
    inVirtualTime(async (world) => {
      const refused: Intercept = (event, peer) => {
        const isFirst = event.type === 'response.create' && event.event_id === 'speech-1'
        const error = { type: 'invalid_request_error', message: 'No such voice.', event_id: 'speech-1' }
        if (isFirst) peer.send(JSON.stringify({ type: 'error', error }))
        return isFirst
      }
      const answers = [[], 'long '.repeat(200), [{ fail: new Error('overloaded') }]] as const
      const { context, speak } = await speaker(world, {}, { answers, speed: Infinity }, refused)
      const error = async (): Promise<unknown> => (await speak('Hi.')).error
      expect(await error()).toMatchObject({ message: expect.stringContaining('No such voice.') as string })
      expect(await error()).toMatchObject({ message: expect.stringContaining('has no sound') as string })
      expect(await error()).toMatchObject({ message: expect.stringContaining('far too long') as string })
      expect(await error()).toMatchObject({
        message: expect.stringContaining('server_error: overloaded') as string,
        retryable: true,
      })
      await context.scope.close()
    }))

  it('[PR3] fails if its sound stops', () =>
    inVirtualTime(async (world) => {
      const answers = [['Hello', { stall: true }]] as const
      const { context, speak } = await speaker(world, { stallTimeout: 4_000 }, { answers })
      expect((await speak('Hello there.')).error).toMatchObject({ code: 'PART_TIMEOUT' })
      await context.scope.close()
    }))

  it("[LK8] outlives the service's one-hour limit", () =>
    inVirtualTime(async (world) => {
      const { context, speak, server } = await speaker(world)
      await world.clock.elapse(61 * 60_000)
      expect(await speak('Still here.')).toEqual({ text: 'Still here.' })
      expect([server.sessions.length, server.open.length]).toEqual([2, 1])
      await context.scope.close()
    }))

  it('needs a key, or the constructor throws', () => {
    vi.stubEnv('OPENAI_API_KEY', '')
    expect(() => new OpenAITts()).toThrow(MissingKeyError)
  })
})
