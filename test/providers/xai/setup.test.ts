import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { muLaw, pcm } from '../../../src/audio/index.ts'
import { MissingKeyError, XaiRealtime } from '../../../src/providers/xai/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { KEY, find, talk } from './fixture.ts'

const MINUTE = 60_000

describe('an xAI Realtime setup', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is one session.update with voice, turn detection and instructions at the top', () =>
    inVirtualTime(async (world) => {
      const { sent, server, context } = await talk(world)
      const format = { type: 'audio/pcm', rate: 24_000 }
      expect(sent()).toEqual([
        {
          type: 'session.update',
          session: {
            instructions: 'Be brief.',
            tools: [{ type: 'function', ...find }],
            voice: 'eve',
            turn_detection: { type: 'server_vad' },
            audio: {
              input: { format, transcription: { model: 'grok-transcribe' } },
              output: { format },
            },
          },
        },
      ])
      expect(server.dials[0]).toMatchObject({
        url: 'wss://api.x.ai/v1/realtime?model=grok-voice-latest',
        headers: { authorization: `Bearer ${KEY}` },
      })
      expect(server.open[0]?.settings).toMatchObject({
        instructions: 'Be brief.',
        audio: { input: { turn_detection: { type: 'server_vad' } }, output: { voice: 'eve' } },
      })
      await context.scope.close()
      expect(context.connections).toMatchObject([{ name: 'xai', how: 'closed' }])
    }))

  it('has every other option that is set', () =>
    inVirtualTime(async (world) => {
      const { sent, server, context } = await talk(world, {
        xai: {
          name: 'grok',
          url: 'https://proxy.test/v1/',
          model: 'grok-voice-think-fast-2.0',
          voice: 'ara',
          speed: 1.2,
          reasoning: 'none',
          transcription: { language: 'de', keywords: ['Zahnarzt'] },
          turnDetection: { threshold: 0.4, prefix: 200, silence: 700, idleTimeout: 6_000 },
          extra: { replace: { SQL: 'sequel' }, audio: { output: { transport: 'json' } } },
        },
      })
      expect(sent()[0]).toMatchObject({
        session: {
          voice: 'ara',
          reasoning: { effort: 'none' },
          replace: { SQL: 'sequel' },
          turn_detection: {
            type: 'server_vad',
            threshold: 0.4,
            prefix_padding_ms: 200,
            silence_duration_ms: 700,
            idle_timeout_ms: 6_000,
          },
          audio: {
            input: {
              transcription: { model: 'grok-transcribe', language_hint: 'de', keyterms: ['Zahnarzt'] },
            },
            output: { speed: 1.2, transport: 'json' },
          },
        },
      })
      expect(server.dials[0]?.url).toBe('wss://proxy.test/v1/realtime?model=grok-voice-think-fast-2.0')
      await context.scope.close()
      expect(context.connections).toMatchObject([{ name: 'grok' }])
    }))

  it('leaves turns to the session if the session takes them', () =>
    inVirtualTime(async (world) => {
      const { sent, server, context } = await talk(world, { setup: { takesTurns: false } })
      expect(sent()[0]).toMatchObject({ session: { turn_detection: { type: null } } })
      expect(server.open[0]?.settings.audio.input.turn_detection).toBeNull()
      await context.scope.close()
    }))

  it('has mu-law both ways on a phone, and the rate of the line elsewhere', () =>
    inVirtualTime(async (world) => {
      const phone = await talk(world, { setup: { hears: muLaw, speaks: muLaw } })
      const format = { type: 'audio/pcmu', rate: 8_000 }
      expect(phone.sent()[0]).toMatchObject({ session: { audio: { input: { format }, output: { format } } } })
      await phone.context.scope.close()
      const page = await talk(world, { setup: { hears: pcm(48_000), speaks: pcm(16_000) } })
      expect(page.sent()[0]).toMatchObject({
        session: { audio: { input: { format: { rate: 48_000 } }, output: { format: { rate: 16_000 } } } },
      })
      await page.context.scope.close()
    }))

  it('needs a key, which is never printed', () =>
    inVirtualTime(async (world) => {
      vi.stubEnv('XAI_API_KEY', '')
      expect(() => new XaiRealtime()).toThrow(MissingKeyError)
      expect(() => new XaiRealtime()).toThrow('XAI_API_KEY')
      vi.stubEnv('XAI_API_KEY', KEY)
      expect(new XaiRealtime().name).toBe('xai')
      const { model, context } = await talk(world)
      for (const thing of [new XaiRealtime({ apiKey: KEY }), model, context.scope.inspect().tree])
        expect(inspect(thing, { depth: 9, showHidden: true }) + JSON.stringify(thing)).not.toContain(KEY)
      await context.scope.close()
    }))

  it('[LK8] moves to a new connection, with a new key, before the hour that the service does not announce', () =>
    inVirtualTime(async (world) => {
      let keys = 0
      const apiKey = async (): Promise<string> => {
        keys++
        return KEY
      }
      const { server, context, log } = await talk(world, {
        xai: { apiKey },
        setup: { messages: [{ role: 'user', text: 'It is me again.' }] },
      })
      await world.clock.elapse(57 * MINUTE)
      expect(server.sessions.length).toBe(1)
      await world.clock.elapse(2 * MINUTE)
      expect(server.sessions.length).toBe(2)
      expect(keys).toBe(2)
      expect(server.transcript).toEqual(['user: It is me again.'])
      expect(log).toEqual([])
      await context.scope.close()
    }))

  it('[LK2] continues on a new connection after the service has reported the end of a session', () =>
    inVirtualTime(async (world) => {
      const { server, context, sends } = await talk(world, { answers: ['Hello.'] })
      server.hear('good morning')
      await world.clock.elapse(20_000)
      sends({ type: 'error', error: { type: 'max_duration', message: 'Maximum duration exceeded.' } })
      await world.clock.elapse(1_000)
      expect(server.sessions.length).toBe(2)
      expect(server.open.length).toBe(1)
      expect(server.transcript).toEqual(['user: good morning', 'assistant: Hello.'])
      await context.scope.close()
    }))
})
