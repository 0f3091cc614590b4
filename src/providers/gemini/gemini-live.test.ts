import { pcm } from '../../audio/index.ts'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { RealtimeSetup } from '../../parts/index.ts'
import {
  conformance,
  inVirtualTime,
  partContext,
  realtimeConformance,
  type TestPartContext,
  type World,
} from '../../testing/index.ts'
import { RealtimeRecorder } from '../../testing/conformance/realtime-recorder.ts'
import { GeminiLiveServer, type GeminiLiveServerOptions } from '../../testing/servers/index.ts'
import { GeminiLive, MissingKeyError, type GeminiLiveOptions } from './index.ts'

const KEY = 'gemini-secret-0123456789'

conformance({ describe, it }, 'Gemini on a simulated network', realtimeConformance, ({ clock, network }) => {
  const server = new GeminiLiveServer({ clock, apiKey: KEY, answers: () => [] })
  network!.serve = server.serve
  return {
    realtime: new GeminiLive({ apiKey: KEY }),
    inputIsObject: true,
    hear: (text) => server.hear(text),
    answers: (chunks, hangs = false) => {
      server.answers(hangs ? [...chunks, { stall: true }] : chunks)
    },
    results: () =>
      server.sessions
        .flatMap(({ received }) => received)
        .flatMap(({ toolResponse, clientContent }) => [
          ...(toolResponse?.functionResponses ?? []),
          ...(clientContent?.turns ?? [])
            .flatMap(({ parts = [] }) => parts)
            .flatMap(({ functionResponse }) => functionResponse ?? []),
        ])
        .map(({ response }) => String(response?.['output'])),
    refuses: () => {
      server.manners.refuse = 403
    },
    breaks: () => {
      server.manners.refuse = 403
      server.drop()
    },
  }
})

interface Opened {
  readonly server: GeminiLiveServer
  readonly context: TestPartContext
  readonly model: unknown
}

async function open(
  world: World,
  options: GeminiLiveOptions = {},
  setup: Partial<RealtimeSetup> = {},
  manners: GeminiLiveServerOptions = {},
): Promise<Opened> {
  const server = new GeminiLiveServer({ clock: world.clock, ...manners })
  world.network.serve = server.serve
  const context = partContext(world)
  const whole = {
    hears: pcm(16_000),
    speaks: pcm(24_000),
    instructions: 'Be brief.',
    tools: [],
    messages: [],
    takesTurns: true,
    ...setup,
  }
  const realtime = new GeminiLive({ apiKey: KEY, ...options })
  try {
    return { server, context, model: await realtime.open(context, whole, new RealtimeRecorder()) }
  } catch (error) {
    await context.scope.close()
    throw error
  }
}

describe('a Gemini setup', () => {
  it('has the instructions and asks for audio, transcripts and a handle', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await open(world)
      expect(server.sessions[0]!.setup).toEqual({
        model: 'models/gemini-3.8-live',
        generationConfig: { responseModalities: ['AUDIO'] },
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        sessionResumption: {},
        contextWindowCompression: { slidingWindow: {} },
        inputAudioTranscription: {},
        outputAudioTranscription: {},
        realtimeInputConfig: { automaticActivityDetection: {} },
      })
      await context.scope.close()
    }))

  it('has every option that is set', () =>
    inVirtualTime(async (world) => {
      const options: GeminiLiveOptions = {
        model: 'models/other',
        voice: 'Kore',
        language: 'de-DE',
        temperature: 0.3,
        silence: 700,
        prefixPadding: 100,
        compression: { triggerTokens: 20_000, targetTokens: 10_000 },
        extra: { labels: { team: 'desk' } },
      }
      const { server, context } = await open(world, options, { instructions: '' })
      expect(server.sessions[0]!.setup).toEqual({
        model: 'models/other',
        generationConfig: {
          responseModalities: ['AUDIO'],
          temperature: 0.3,
          speechConfig: {
            voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } },
            languageCode: 'de-DE',
          },
        },
        sessionResumption: {},
        contextWindowCompression: { triggerTokens: '20000', slidingWindow: { targetTokens: '10000' } },
        inputAudioTranscription: {},
        outputAudioTranscription: {},
        realtimeInputConfig: {
          automaticActivityDetection: { prefixPaddingMs: 100, silenceDurationMs: 700 },
        },
        labels: { team: 'desk' },
      })
      await context.scope.close()
      const plain = await open(world, { compression: false })
      expect(plain.server.sessions[0]!.setup).not.toHaveProperty('contextWindowCompression')
      await plain.context.scope.close()
    }))

  it('declares blocking tools', () =>
    inVirtualTime(async (world) => {
      const day = { type: 'string', format: 'date' }
      const tools = [
        { name: 'find', description: 'Finds', parameters: { type: 'object', properties: { day } } },
        { name: 'now', description: 'Tells the time', parameters: { type: 'object', properties: {} } },
      ]
      const { server, context } = await open(world, {}, { tools })
      expect(server.sessions[0]!.setup?.tools).toEqual([
        {
          functionDeclarations: [
            {
              name: 'find',
              description: 'Finds',
              behavior: 'BLOCKING',
              parameters: { type: 'OBJECT', properties: { day: { type: 'STRING' } } },
            },
            { name: 'now', description: 'Tells the time', behavior: 'BLOCKING' },
          ],
        },
      ])
      await context.scope.close()
    }))

  it('disables activity detection and interruption for manual turns', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await open(world, {}, { takesTurns: false })
      expect(server.sessions[0]!.setup?.realtimeInputConfig).toEqual({
        automaticActivityDetection: { disabled: true },
        activityHandling: 'NO_INTERRUPTION',
      })
      await context.scope.close()
    }))

  it('is followed by the previous conversation, without asking for an answer', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await open(
        world,
        {},
        {
          messages: [
            { role: 'system', text: 'It is Monday.' },
            { role: 'user', text: 'Is there a slot?' },
            { role: 'tool-call', id: 'c1', name: 'find', input: '{"day":' },
            { role: 'tool-result', id: 'c1', name: 'find', output: 'no such day', failed: true },
            { role: 'agent', text: 'There is none.' },
          ],
        },
      )
      await world.clock.elapse(1_000)
      expect(server.sessions[0]!.setup?.historyConfig).toEqual({ initialHistoryInClientContent: true })
      expect(server.sessions[0]!.received[1]?.clientContent?.turnComplete).toBe(true)
      expect(server.transcript).toEqual([
        'user: It is Monday.',
        'user: Is there a slot?',
        'model: find({})',
        'user: {"error":"no such day"}',
        'model: There is none.',
      ])
      await context.scope.close()
    }))

  it('fails for an unknown model, without a retry', () =>
    inVirtualTime(async (world) => {
      const refused = await open(world, {}, {}, { models: [] }).catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'LINK_FATAL', end: { class: 'fatal', code: 1008 } })
      expect(world.network.dials).toBe(1)
    }))
})

describe('a Gemini key', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is sent in a header to the configured URL', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await open(world, { url: 'wss://proxy.example.com/' })
      expect(server.dials).toEqual([
        {
          name: 'gemini',
          url: 'wss://proxy.example.com/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent',
          headers: { 'x-goog-api-key': KEY },
        },
      ])
      await context.scope.close()
    }))

  it('may be an ephemeral token', () =>
    inVirtualTime(async (world) => {
      const token = 'auth_tokens/abc'
      const { server, context } = await open(world, { token })
      expect(server.dials[0]).toEqual({
        name: 'gemini',
        url: 'wss://generativelanguage.googleapis.com/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContentConstrained',
        headers: { authorization: `Token ${token}` },
      })
      await context.scope.close()
    }))

  it('comes from the environment, and the constructor throws without one', () => {
    vi.stubEnv('GEMINI_API_KEY', ' ')
    vi.stubEnv('GOOGLE_API_KEY', '')
    expect(() => new GeminiLive()).toThrow(MissingKeyError)
    expect(() => new GeminiLive()).toThrow('GEMINI_API_KEY')
    vi.stubEnv('GOOGLE_API_KEY', KEY)
    expect(new GeminiLive().name).toBe('gemini')
    vi.stubEnv('GEMINI_API_KEY', KEY)
    vi.stubEnv('GOOGLE_API_KEY', '')
    expect(new GeminiLive({ name: 'voice' }).name).toBe('voice')
  })

  it('never appears in inspect, JSON or errors', () =>
    inVirtualTime(async (world) => {
      const { model, context } = await open(world)
      const realtime = new GeminiLive({ apiKey: KEY })
      for (const thing of [realtime, model, context.scope.inspect().tree]) {
        expect(inspect(thing, { depth: 9, showHidden: true })).not.toContain(KEY)
        expect(JSON.stringify(thing)).not.toContain(KEY)
      }
      await context.scope.close()
      for (const options of [{ apiKey: `${KEY}-wrong` }, { token: `${KEY}-wrong` }]) {
        const refused = await open(world, options, {}, { apiKey: KEY }).catch((error: unknown) => error)
        expect(refused).toMatchObject({ code: 'LINK_FATAL', end: { code: 1007 } })
        expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain(KEY)
      }
    }))
})
