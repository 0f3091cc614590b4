import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { aLaw, muLaw, pcm, silence } from '../../../src/audio/index.ts'
import { MissingKeyError, OpenAILive } from '../../../src/providers/openai/index.ts'
import { inVirtualTime, partContext } from '../../../src/testing/index.ts'
import { RealtimeRecorder } from '../../../src/testing/conformance/realtime-recorder.ts'
import { OpenAILiveServer } from '../../../src/testing/servers/index.ts'
import { KEY, find, talk } from './fixture.ts'

const text = (role: string, words: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: words }],
})

describe('a GPT-Live setup', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is one session.start, with the model in it and not in the URL', () =>
    inVirtualTime(async (world) => {
      const { sent, server, context } = await talk(world)
      const tools = [{ type: 'function', ...find }]
      expect(sent()).toEqual([
        {
          type: 'session.start',
          session: {
            model: 'gpt-live-1',
            instructions: 'Be brief.',
            audio: { format: { type: 'audio/pcm', rate: 24_000 }, output: { voice: 'marin' } },
            input: [],
            delegation: {
              type: 'responses',
              responses: { model: 'gpt-5.4-mini', instructions: 'Be brief.', tools },
            },
          },
        },
      ])
      expect(server.dials[0]).toMatchObject({
        url: 'wss://api.openai.com/v1/live/sessions',
        headers: { authorization: `Bearer ${KEY}` },
      })
      await context.scope.close()
    }))

  it('has every option that is set', () =>
    inVirtualTime(async (world) => {
      const { sent, server, context } = await talk(world, {
        live: {
          name: 'live',
          url: 'https://proxy.test/v1/',
          model: 'gpt-live-2',
          backend: 'gpt-5.5',
          voice: { id: 'voice_1' },
          extra: { store: true, delegation: { acknowledgement_delay_ms: 400 } },
        },
        setup: { instructions: '' },
      })
      expect(sent()[0]).toMatchObject({
        session: {
          model: 'gpt-live-2',
          store: true,
          audio: { output: { voice: { id: 'voice_1' } } },
          delegation: { type: 'responses', acknowledgement_delay_ms: 400, responses: { model: 'gpt-5.5' } },
        },
      })
      expect((sent()[0] as { session: object }).session).not.toHaveProperty('instructions')
      expect(server.dials[0]?.url).toBe('wss://proxy.test/v1/live/sessions')
      await context.scope.close()
      expect(context.connections).toMatchObject([{ name: 'live' }])
    }))

  it('has the conversation so far as text, at most 128 messages and no more than the service takes', () =>
    inVirtualTime(async (world) => {
      const first = await talk(world, {
        setup: {
          messages: [
            { role: 'system', text: 'The caller is Ann.' },
            { role: 'user', text: 'Is there a slot?' },
            { role: 'tool-call', id: 'a', name: 'find', input: '{}' },
            { role: 'tool-result', id: 'a', name: 'find', output: 'nine', failed: false },
            { role: 'agent', text: 'At nine.' },
          ],
        },
      })
      expect(first.server.open[0]?.config?.input).toEqual([
        text('developer', 'The caller is Ann.'),
        text('user', 'Is there a slot?'),
        text('developer', 'The tool find returned: nine'),
        text('assistant', 'At nine.'),
      ])
      await first.context.scope.close()
      const many = await talk(world, {
        setup: { messages: Array.from({ length: 500 }, (_, i) => ({ role: 'user', text: `word ${i}` })) },
      })
      expect(many.server.open[0]?.config?.input).toHaveLength(128)
      expect(many.server.open[0]?.config?.input?.at(-1)).toEqual(text('user', 'word 499'))
      await many.context.scope.close()
      const long = await talk(world, {
        setup: { messages: Array.from({ length: 50 }, () => ({ role: 'user', text: 'long '.repeat(200) })) },
      })
      expect(long.server.open[0]?.config?.input).toHaveLength(24)
      await long.context.scope.close()
    }))

  it.each([
    [pcm(16_000), { type: 'audio/pcm', rate: 16_000 }],
    [muLaw, { type: 'audio/pcmu', rate: 8_000 }],
    [aLaw, { type: 'audio/pcma', rate: 8_000 }],
  ])('has one format for both directions, that of the line: %o', (format, wire) =>
    inVirtualTime(async (world) => {
      const { server, model, context } = await talk(world, { setup: { hears: pcm(16_000), speaks: format } })
      expect(server.open[0]?.config?.audio?.format).toEqual(wire)
      for (let i = 0; i < 50; i++) model.push(silence(20, 16_000))
      await world.clock.elapse(100)
      const sizes = server.open[0]!.received.map(({ audio = '' }) => Buffer.from(audio, 'base64').length)
      const bytesPerSecond = wire.rate * (wire.type === 'audio/pcm' ? 2 : 1)
      const seconds = sizes.reduce((sum, size) => sum + size, 0) / bytesPerSecond
      expect(seconds).toBeGreaterThan(0.98)
      expect(seconds).toBeLessThanOrEqual(1)
      await context.scope.close()
    }),
  )

  it('waits for session.started before it sends anything else', () =>
    inVirtualTime(async (world) => {
      const opening = talk(world, { startedAfter: 2_000, answers: ['Hello.'] })
      await world.clock.elapse(2_100)
      const { model, server, warnings, context } = await opening
      model.respond()
      await world.clock.elapse(100)
      expect(server.open[0]?.received.map(({ type }) => type)).toEqual([
        'session.start',
        'session.commentary.append',
      ])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('needs a key, which is never printed', () =>
    inVirtualTime(async (world) => {
      vi.stubEnv('OPENAI_API_KEY', '')
      expect(() => new OpenAILive()).toThrow(MissingKeyError)
      const realtime = new OpenAILive({ apiKey: KEY })
      expect(inspect(realtime, { depth: 9, showHidden: true }) + JSON.stringify(realtime)).not.toContain(KEY)
      const { context } = await talk(world)
      await context.scope.close()
      expect(JSON.stringify(context.connections)).not.toContain(KEY)
    }))

  it('[LK2] that the service refuses is fatal, and is not retried', () =>
    inVirtualTime(async (world) => {
      const server = new OpenAILiveServer({ clock: world.clock })
      world.network.serve = server.serve
      const context = partContext(world)
      const setup = { instructions: '', tools: [], messages: [], takesTurns: true }
      const opening = new OpenAILive({ apiKey: KEY }).open(
        context,
        { ...setup, hears: pcm(16_000), speaks: pcm(48_000) },
        new RealtimeRecorder(),
      )
      await expect(opening).rejects.toThrow('Invalid rate 48000')
      await world.clock.elapse(10_000)
      expect(server.dials.length).toBe(1)
      await context.scope.close()
    }))
})
