import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { silence } from '../../src/audio/index.ts'
import type { SttEvents, SttStream } from '../../src/parts/index.ts'
import { MissingKeyError, OpenAIStt, type OpenAISttOptions } from '../../src/providers/openai/index.ts'
import { Agent, Session } from '../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedTts,
  TestLine,
  inVirtualTime,
  partContext,
  soundOf,
  type TestPartContext,
  type World,
} from '../../src/testing/index.ts'
import type { OpenAIRealtimeServer, OpenAIRealtimeServerOptions } from '../../src/testing/servers/index.ts'
import { said } from '../session/fixture.ts'
import { KEY, serve } from './openai-fixture.ts'

interface Listening {
  readonly server: OpenAIRealtimeServer
  readonly context: TestPartContext
  readonly stream: SttStream
  readonly told: string[]
  readonly say: (text: string) => void
  readonly quiet: (ms: number) => void
  /** What the newest connection was sent, without its sound. */
  readonly sent: () => string[]
}

async function listen(
  world: World,
  options: OpenAISttOptions = {},
  manners: OpenAIRealtimeServerOptions = {},
): Promise<Listening> {
  const server = serve(world, manners)
  const context = partContext(world)
  const told: string[] = []
  const events: SttEvents = {
    interim: (text) => told.push(`interim ${text}`),
    final: (text) => told.push(`final ${text}`),
    endOfTurn: () => told.push('end of turn'),
    failed: (error) => told.push(`failed ${String(error)}`),
  }
  const stream = await new OpenAIStt({ apiKey: KEY, ...options }).open(context, events)
  return {
    server,
    context,
    stream,
    told,
    say: (text) => stream.push(soundOf(text, 24_000, 50)),
    quiet: (ms) => stream.push(silence(ms, 24_000)),
    sent: () => {
      const types = server.sessions.at(-1)!.received.map(({ type }) => type)
      return types.filter((type) => type !== 'input_audio_buffer.append')
    },
  }
}

describe('OpenAI transcription', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is set up as a transcription session', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await listen(world, {
        model: 'gpt-4o-transcribe',
        language: 'en',
        prompt: 'Bright Dental',
        noiseReduction: 'near',
      })
      expect(server.dials[0]?.url).toBe('wss://api.openai.com/v1/realtime?intent=transcription')
      expect(server.sessions[0]?.received).toEqual([
        {
          type: 'session.update',
          session: {
            type: 'transcription',
            audio: {
              input: {
                format: { type: 'audio/pcm', rate: 24_000 },
                transcription: { model: 'gpt-4o-transcribe', language: 'en', prompt: 'Bright Dental' },
                noise_reduction: { type: 'near_field' },
                turn_detection: null,
              },
            },
          },
        },
      ])
      await context.scope.close()
    }))

  it('needs a key, and never shows it', () =>
    inVirtualTime(async (world) => {
      vi.stubEnv('OPENAI_API_KEY', '')
      expect(() => new OpenAIStt()).toThrow(MissingKeyError)
      const { stream, context } = await listen(world)
      for (const thing of [new OpenAIStt({ apiKey: KEY }), stream]) {
        expect(inspect(thing, { depth: 9, showHidden: true })).not.toContain(KEY)
        expect(JSON.stringify(thing)).not.toContain(KEY)
      }
      await context.scope.close()
    }))

  it('tells words as they come, and makes them final when it is flushed', () =>
    inVirtualTime(async (world) => {
      const { stream, told, say, context, sent } = await listen(world)
      stream.flush()
      say('hello there')
      stream.flush()
      stream.flush()
      await world.clock.elapse(1_000)
      expect(told).toEqual(['interim hello', 'interim hello there', 'final hello there'])
      // There was something to be committed only once.
      expect(sent()).toEqual(['session.update', 'input_audio_buffer.commit'])
      await context.scope.close()
    }))

  it('ends turns where the service takes them', () =>
    inVirtualTime(async (world) => {
      const { told, say, quiet, stream, context, sent } = await listen(world, {
        turnDetection: { type: 'server', silence: 400 },
      })
      expect(new OpenAIStt({ apiKey: KEY, turnDetection: { type: 'semantic' } }).endsTurns).toBe(true)
      expect(new OpenAIStt({ apiKey: KEY }).endsTurns).toBe(false)
      say('good morning')
      quiet(500)
      await world.clock.elapse(1_000)
      expect(told.slice(-2)).toEqual(['final good morning', 'end of turn'])
      // Silence is nothing to be flushed.
      stream.flush()
      await world.clock.elapse(100)
      expect(sent()).toEqual(['session.update'])
      say('and')
      await world.clock.elapse(100)
      stream.flush()
      await world.clock.elapse(1_000)
      expect(told.slice(-2)).toEqual(['final and', 'end of turn'])
      await context.scope.close()
    }))

  it('takes a guess back that comes to nothing', () =>
    inVirtualTime(async (world) => {
      const { told, say, stream, server, context } = await listen(world)
      server.transcriptionFails = true
      say('hm')
      stream.flush()
      await world.clock.elapse(1_000)
      expect(told).toEqual([])
      await context.scope.close()
    }))

  it('[LK7] ends when the last words are there, and says that this was acknowledged', () =>
    inVirtualTime(async (world) => {
      const { told, say, stream, server, context, sent } = await listen(
        world,
        {},
        { transcriptionAfter: 900 },
      )
      say('goodbye')
      stream.detach()
      await world.clock.elapse(1_500)
      expect(told.at(-1)).toBe('final goodbye')
      expect(server.open.length).toBe(0)
      expect(sent()).toEqual(['session.update', 'input_audio_buffer.commit'])
      expect(context.connections).toMatchObject([{ how: 'acknowledged' }])
      await context.scope.close()
    }))

  it('[LK7] waits for no last words if nothing was said', () =>
    inVirtualTime(async (world) => {
      const { quiet, context, sent, told } = await listen(world)
      quiet(2_000)
      const report = await context.scope.close()
      expect(report.took).toBeLessThan(300)
      expect(sent()).toEqual(['session.update', 'input_audio_buffer.clear'])
      expect(context.connections).toMatchObject([{ how: 'acknowledged' }])
      expect(told).toEqual([])
    }))

  it('[LK7] is not held up by a service that says nothing any more', () =>
    inVirtualTime(async (world) => {
      const { say, server, context } = await listen(world)
      say('goodbye')
      server.stall()
      const report = await context.scope.close()
      expect(report.took).toBeLessThan(2_500)
      expect(world.network.sockets.list()).toEqual([])
    }))

  it('[LK2] goes on after a drop, and keeps what it has understood', () =>
    inVirtualTime(async (world) => {
      const { told, say, stream, server, context } = await listen(world)
      say('one')
      stream.flush()
      await world.clock.elapse(1_000)
      server.drop()
      say('two')
      await world.clock.elapse(2_000)
      stream.flush()
      await world.clock.elapse(1_000)
      expect(told.filter((line) => line.startsWith('final'))).toEqual(['final one', 'final two'])
      expect(server.sessions.length).toBe(2)
      await context.scope.close()
    }))

  it('[LK8] lives longer than the hour of a session', () =>
    inVirtualTime(async (world) => {
      const { told, say, stream, server, context } = await listen(world)
      await world.clock.elapse(61 * 60_000)
      expect(server.sessions.length).toBe(2)
      expect(server.open.length).toBe(1)
      say('still here')
      stream.flush()
      await world.clock.elapse(1_000)
      expect(told.at(-1)).toBe('final still here')
      await context.scope.close()
    }))

  it('is the ears of a session', () =>
    inVirtualTime(async (world) => {
      const server = serve(world, {})
      const line = new TestLine({ sampleRate: 24_000 })
      const { clock, random, network } = world
      const session = new Session({
        agent: new Agent({ instructions: 'You answer the phone.' }),
        models: {
          stt: new OpenAIStt({ apiKey: KEY, turnDetection: { type: 'server' } }),
          llm: new ScriptedLlm({ answers: ['Good morning.'] }),
          tts: new ScriptedTts({ sampleRate: 24_000 }),
        },
        turns: { mode: 'stt', vad: false },
        line,
        clock,
        random,
        network,
      })
      await session.start()
      await line.caller.says('hello there')
      await line.caller.pauses(700)
      await line.caller.hears('Good morning.')
      await clock.elapse(500)
      const report = await session.close()
      expect(said(session)).toEqual(['user: hello there', 'agent: Good morning.'])
      await clock.elapse(10)
      expect(server.open.length).toBe(0)
      expect(report.clean).toBe(true)
    }))
})
