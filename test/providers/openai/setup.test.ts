import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { aLaw, muLaw, pcm, sine, type AudioFrame } from '../../../src/audio/index.ts'
import {
  MissingKeyError,
  OpenAIRealtime,
  type OpenAIRealtimeOptions,
} from '../../../src/providers/openai/index.ts'
import { OpenAIEndpoint } from '../../../src/providers/openai/endpoint.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { KEY, find, refusal, talk } from './fixture.ts'

describe('an OpenAI Realtime setup', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is one session.update, and the model opens once the service confirms it', () =>
    inVirtualTime(async (world) => {
      const { sent, server, context } = await talk(world)
      expect(sent()).toEqual([
        {
          type: 'session.update',
          session: {
            type: 'realtime',
            instructions: 'Be brief.',
            tools: [{ type: 'function', ...find }],
            output_modalities: ['audio'],
            audio: {
              input: {
                format: { type: 'audio/pcm', rate: 24_000 },
                transcription: { model: 'gpt-transcribe' },
                turn_detection: { type: 'server_vad' },
              },
              output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'marin' },
            },
          },
        },
      ])
      expect(server.dials[0]).toMatchObject({
        url: 'wss://api.openai.com/v1/realtime?model=gpt-realtime-2.1',
        headers: { authorization: `Bearer ${KEY}` },
      })
      await context.scope.close()
    }))

  it.each<[options: OpenAIRealtimeOptions, takesTurns: boolean, expected: object | null]>([
    [
      { turnDetection: { type: 'server', threshold: 0.4, prefix: 200, silence: 700, idleTimeout: 6_000 } },
      true,
      {
        type: 'server_vad',
        threshold: 0.4,
        prefix_padding_ms: 200,
        silence_duration_ms: 700,
        idle_timeout_ms: 6_000,
      },
    ],
    [
      { turnDetection: { type: 'semantic', eagerness: 'low' } },
      true,
      { type: 'semantic_vad', eagerness: 'low' },
    ],
    [{ turnDetection: { type: 'semantic' } }, false, null],
  ])('has turn detection as set in %j with takesTurns: %s', (options, takesTurns, expected) =>
    inVirtualTime(async (world) => {
      const { sent, context } = await talk(world, { setup: { takesTurns }, openai: options })
      expect(sent()[0]).toMatchObject({ session: { audio: { input: { turn_detection: expected } } } })
      await context.scope.close()
    }),
  )

  it('has every other option that is set', () =>
    inVirtualTime(async (world) => {
      const { sent, server, context } = await talk(world, {
        setup: { takesTurns: false },
        openai: {
          name: 'mind',
          model: 'gpt-realtime-2.1-mini',
          voice: { id: 'voice_7' },
          speed: 1.2,
          transcription: { model: 'gpt-realtime-whisper', language: 'de', prompt: 'Zahnarzt' },
          noiseReduction: 'far',
          maxOutputTokens: 500,
          reasoning: 'low',
          toolChoice: { name: 'find' },
          parallelToolCalls: false,
          truncation: { retain: 0.8, maxTokens: 5_000 },
        },
      })
      expect(sent()[0]).toMatchObject({
        session: {
          max_output_tokens: 500,
          reasoning: { effort: 'low' },
          tool_choice: { type: 'function', name: 'find' },
          parallel_tool_calls: false,
          truncation: {
            type: 'retention_ratio',
            retention_ratio: 0.8,
            token_limits: { post_instructions: 5_000 },
          },
          audio: {
            input: {
              transcription: { model: 'gpt-realtime-whisper', language: 'de', prompt: 'Zahnarzt' },
              noise_reduction: { type: 'far_field' },
            },
            output: { voice: { id: 'voice_7' }, speed: 1.2 },
          },
        },
      })
      expect(server.dials[0]?.url).toContain('?model=gpt-realtime-2.1-mini')
      await context.scope.close()
      expect(context.connections).toMatchObject([{ name: 'mind' }])
    }))

  it('goes to the configured URL, with the key in the configured header', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world, {
        openai: {
          url: 'https://house.openai.azure.com/openai/v1/?region=north',
          model: 'voice',
          auth: 'api-key',
          query: { tier: 'priority' },
          headers: { 'x-team': 'phones' },
        },
      })
      const { url, headers } = server.dials[0]!
      expect(url).toBe(
        'wss://house.openai.azure.com/openai/v1/realtime?model=voice&region=north&tier=priority',
      )
      expect(headers).toEqual({ 'api-key': KEY, 'x-team': 'phones' })
      await context.scope.close()
    }))

  it('gets an ephemeral key before each connection', () =>
    inVirtualTime(async (world) => {
      let calls = 0
      const { server, context } = await talk(world, {
        openai: {
          apiKey: () => {
            calls++
            return KEY
          },
        },
      })
      server.drop()
      await world.clock.elapse(2_000)
      expect(calls).toBe(2)
      expect(server.open.length).toBe(1)
      await context.scope.close()
    }))

  it('gets a key that takes time to mint before each connection', () =>
    inVirtualTime(async (world) => {
      let calls = 0
      const { server, context } = await talk(world, {
        openai: {
          apiKey: async () => {
            calls++
            await world.clock.elapse(200, 'token')
            return KEY
          },
        },
      })
      server.drop()
      await world.clock.elapse(2_000)
      expect(calls).toBe(2)
      expect(server.open.length).toBe(1)
      await context.scope.close()
      await expect(talk(world, { openai: { apiKey: async () => '' } })).rejects.toMatchObject({
        cause: { code: 'MISSING_KEY' },
      })
    }))

  it('rejects a fraction that is none, and unknown nested options', () => {
    const of = (options: object) => () => new OpenAIRealtime({ apiKey: KEY, ...options })
    expect(of({ truncation: { retain: 80 } })).toThrow('truncation.retain is a fraction')
    expect(of({ truncation: { keep: 0.8 } })).toThrow("unknown option 'keep'")
    expect(of({ toolChoice: { tool: 'find' } })).toThrow("unknown option 'tool'")
  })

  it('has mu-law both ways on a phone', () =>
    inVirtualTime(async (world) => {
      const sounds: AudioFrame[] = []
      const heard: AudioFrame[] = []
      const understands = (sound: AudioFrame): string => {
        heard.push(sound)
        return 'hello'
      }
      const realtime = new OpenAIRealtime({ apiKey: KEY })
      expect(realtime.hears).toEqual([pcm(24_000), muLaw, aLaw])
      expect(realtime.speaks).toEqual(realtime.hears)
      const { model, sent, context } = await talk(world, {
        setup: { hears: muLaw, speaks: muLaw },
        answers: ['Good morning.'],
        understands,
        audio: (frame) => sounds.push(frame),
      })
      model.push(sine(440, { duration: 500, sampleRate: 8_000 }))
      model.push({ samples: new Int16Array(8_000), sampleRate: 8_000 })
      await world.clock.elapse(2_000)
      const format = { type: 'audio/pcmu' }
      expect(sent()[0]).toMatchObject({ session: { audio: { input: { format }, output: { format } } } })
      expect(Math.max(...heard[0]!.samples)).toBeGreaterThan(10_000)
      expect(new Set(sounds.map(({ sampleRate }) => sampleRate))).toEqual(new Set([8_000]))
      const length = sounds.reduce((sum, { samples }) => sum + samples.length, 0)
      expect(length).toBe('Good morning.'.length * 50 * 8)
      await context.scope.close()
    }))

  it('answers in text if the session has a voice of its own', () =>
    inVirtualTime(async (world) => {
      const sounds: AudioFrame[] = []
      const { model, sent, log, context } = await talk(world, {
        setup: { speaks: undefined },
        openai: { voice: 'cedar', reasoning: 'low' },
        answers: ['Good morning.'],
        audio: (frame) => sounds.push(frame),
      })
      model.respond()
      await world.clock.elapse(1_000)
      const [update] = sent() as { session?: { output_modalities?: string[]; audio?: object } }[]
      expect(update?.session?.output_modalities).toEqual(['text'])
      expect(update?.session?.audio).not.toHaveProperty('output')
      expect(log.filter((line) => line.startsWith('text'))).toEqual(['text Good ', 'text morning.'])
      expect(log.at(-1)).toBe('completed')
      expect(sounds).toEqual([])
      await context.scope.close()
    }))

  it('needs a key, or the constructor throws', () => {
    vi.stubEnv('OPENAI_API_KEY', '')
    vi.stubEnv('AZURE_OPENAI_API_KEY', '')
    expect(() => new OpenAIRealtime()).toThrow(MissingKeyError)
    expect(() => new OpenAIRealtime()).toThrow('OPENAI_API_KEY')
    expect(() => new OpenAIRealtime({ auth: 'api-key' })).toThrow('AZURE_OPENAI_API_KEY')
    vi.stubEnv('OPENAI_API_KEY', KEY)
    expect(new OpenAIRealtime().name).toBe('openai')
  })

  it("dials OpenAI, or the address in the environment as OpenAI's own SDK does, or the option's", () => {
    const urlOf = (options = {}): string => new OpenAIEndpoint({ apiKey: KEY, ...options }).httpUrl('/x')
    vi.stubEnv('OPENAI_BASE_URL', '')
    expect(urlOf()).toBe('https://api.openai.com/v1/x')
    vi.stubEnv('OPENAI_BASE_URL', 'http://localhost:1/v1/')
    expect(urlOf()).toBe('http://localhost:1/v1/x')
    expect(urlOf({ url: 'wss://other.test/v1' })).toBe('https://other.test/v1/x')
  })

  it('never exposes the key', () =>
    inVirtualTime(async (world) => {
      const { model, context } = await talk(world)
      for (const thing of [new OpenAIRealtime({ apiKey: KEY }), model, context.scope.inspect().tree]) {
        expect(inspect(thing, { depth: 9, showHidden: true })).not.toContain(KEY)
        expect(JSON.stringify(thing)).not.toContain(KEY)
      }
      await context.scope.close()
    }))

  it('replays the previous conversation: text, calls and their results', () =>
    inVirtualTime(async (world) => {
      const { server, context, warnings } = await talk(world, {
        setup: {
          messages: [
            { role: 'system', text: 'She called before.' },
            { role: 'user', text: 'Is there a slot?' },
            { role: 'tool-call', id: 'call-7', name: 'find', input: '{}' },
            { role: 'tool-result', id: 'call-7', name: 'find', output: 'nine', failed: false },
            { role: 'tool-result', id: 'no call', name: 'find', output: 'ten', failed: false },
            { role: 'agent', text: 'At nine.' },
          ],
        },
      })
      await world.clock.elapse(10)
      expect(server.transcript).toEqual([
        'system: She called before.',
        'user: Is there a slot?',
        'function_call: find({})',
        'function_call_output: nine',
        'assistant: At nine.',
      ])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('[LK5] fails at once if the service refuses the settings, and retries after a server error', () =>
    inVirtualTime(async (world) => {
      const refused = talk(world, {
        intercept: ({ type }, peer) => {
          if (type === 'session.update') peer.send(refusal('invalid_value'))
          return type === 'session.update'
        },
      })
      await expect(refused).rejects.toMatchObject({
        code: 'LINK_FATAL',
        message: expect.stringContaining('Not so: invalid_value.') as string,
      })
      expect(world.network.dials).toBe(1)
      expect(world.clock.now()).toBeLessThan(100)
      let failures = 1
      const { context } = await talk(world, {
        intercept: ({ type }, peer) => {
          if (type !== 'session.update' || failures-- <= 0) return false
          peer.send(JSON.stringify({ type: 'error', error: { type: 'server_error', message: 'Sorry.' } }))
          return true
        },
      })
      expect(world.network.dials).toBe(3)
      await context.scope.close()
    }))

  it('[LK5] fails at once if the key is wrong, however the service reports it', () =>
    inVirtualTime(async (world) => {
      await expect(talk(world, { openai: { apiKey: 'sk-other' } })).rejects.toMatchObject({
        code: 'LINK_REFUSED',
      })
      const closes = talk(world, {
        intercept: (_, peer) => {
          peer.close(3000, 'invalid_request_error.invalid_api_key')
          return true
        },
      })
      await expect(closes).rejects.toMatchObject({ code: 'LINK_FATAL' })
      const says = talk(world, {
        intercept: (_, peer) => {
          const error = { type: 'invalid_request_error', code: 'invalid_api_key', message: `No ${KEY}.` }
          peer.send(JSON.stringify({ type: 'error', error }))
          return true
        },
      })
      const error = await says.catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'LINK_FATAL' })
      expect(inspect(error)).not.toContain(KEY)
      expect(world.network.dials).toBe(3)
    }))
})
