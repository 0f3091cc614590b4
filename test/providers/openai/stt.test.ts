import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { pcm, silence } from '../../../src/audio/index.ts'
import { noSttEvents, type SttEvents, type SttStream } from '../../../src/parts/index.ts'
import { MissingKeyError, OpenAIStt, type OpenAISttOptions } from '../../../src/providers/openai/index.ts'
import { Agent, Session } from '../../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedTts,
  TestLine,
  inVirtualTime,
  partContext,
  soundOf,
  type TestPartContext,
  type World,
} from '../../../src/testing/index.ts'
import type { OpenAIRealtimeServer, OpenAIRealtimeServerOptions } from '../../../src/testing/servers/index.ts'
import { said } from '../../session/fixture.ts'
import { KEY, serve } from './fixture.ts'

interface Listening {
  readonly server: OpenAIRealtimeServer
  readonly context: TestPartContext
  readonly stream: SttStream
  readonly log: string[]
  readonly say: (text: string) => void
  readonly quiet: (ms: number) => void
  /** The types of the events that the newest connection received, without audio. */
  readonly sent: () => string[]
}

async function listen(
  world: World,
  options: OpenAISttOptions = {},
  manners: OpenAIRealtimeServerOptions = {},
): Promise<Listening> {
  const server = serve(world, manners)
  const context = partContext(world)
  const log: string[] = []
  const events: SttEvents = {
    ...noSttEvents,
    interim: (text) => log.push(`interim ${text}`),
    final: (text) => log.push(`final ${text}`),
    endOfTurn: () => log.push('end of turn'),
    failed: (error) => log.push(`failed ${String(error)}`),
  }
  const stream = await new OpenAIStt({ apiKey: KEY, ...options }).open(context, events)
  return {
    server,
    context,
    stream,
    log,
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
        model: 'gpt-transcribe',
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
                transcription: { model: 'gpt-transcribe', language: 'en', prompt: 'Bright Dental' },
                noise_reduction: { type: 'near_field' },
                turn_detection: null,
              },
            },
          },
        },
      ])
      await context.scope.close()
    }))

  it('needs a key and never exposes it', () =>
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

  it('emits interim transcripts, and the final one after flush()', () =>
    inVirtualTime(async (world) => {
      const { stream, log, say, context, sent } = await listen(world)
      stream.flush()
      say('hello there')
      stream.flush()
      stream.flush()
      await world.clock.elapse(1_000)
      expect(log).toEqual(['interim hello', 'interim hello there', 'final hello there'])
      // Only one flush() had audio to commit.
      expect(sent()).toEqual(['session.update', 'input_audio_buffer.commit'])
      await context.scope.close()
    }))

  it('emits the end of each turn with turnDetection', () =>
    inVirtualTime(async (world) => {
      const { log, say, quiet, stream, context, sent } = await listen(world, {
        turnDetection: { type: 'server', silence: 400 },
      })
      expect(new OpenAIStt({ apiKey: KEY, turnDetection: { type: 'semantic' } }).endsTurns).toBe(true)
      expect(new OpenAIStt({ apiKey: KEY }).endsTurns).toBe(false)
      say('good morning')
      quiet(500)
      await world.clock.elapse(1_000)
      expect(log.slice(-2)).toEqual(['final good morning', 'end of turn'])
      // There is nothing to flush during silence.
      stream.flush()
      await world.clock.elapse(100)
      expect(sent()).toEqual(['session.update'])
      say('and')
      await world.clock.elapse(100)
      stream.flush()
      await world.clock.elapse(1_000)
      expect(log.slice(-2)).toEqual(['final and', 'end of turn'])
      await context.scope.close()
    }))

  it('emits nothing if the service cannot transcribe the turn', () =>
    inVirtualTime(async (world) => {
      const { log, say, stream, server, context } = await listen(world, { model: 'gpt-transcribe' })
      server.transcriptionFails = true
      say('hm')
      stream.flush()
      await world.clock.elapse(1_000)
      expect(log).toEqual([])
      await context.scope.close()
    }))

  it('emits interim transcripts of a live model while the user speaks, with pauses of any length', () =>
    inVirtualTime(async (world) => {
      const { log, say, quiet, stream, server, context } = await listen(world)
      say('I would like ')
      await world.clock.elapse(100)
      expect(log).toEqual(['interim I', 'interim I would', 'interim I would like'])
      for (let second = 0; second < 20; second++) {
        quiet(1_000)
        await world.clock.elapse(1_000)
      }
      say('a table')
      stream.flush()
      await world.clock.elapse(100)
      expect(log.at(-1)).toBe('final I would like a table')
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it('[CL6] makes the words of a live model final if their audio is discarded', () =>
    inVirtualTime(async (world) => {
      const { log, server, context, quiet } = await listen(world)
      quiet(200)
      await world.clock.elapse(10)
      const type = 'conversation.item.input_audio_transcription.delta'
      server.open[0]!.connection.send(JSON.stringify({ type, item_id: 'item', delta: 'hush' }))
      await world.clock.elapse(10)
      const report = await context.scope.close()
      expect(report.took).toBeLessThan(300)
      expect(log).toEqual(['interim hush', 'final hush'])
    }))

  it('[LK7] counts as acknowledged once the last words have arrived', () =>
    inVirtualTime(async (world) => {
      const { log, say, stream, server, context, sent } = await listen(world, {}, { transcriptionAfter: 900 })
      say('goodbye')
      stream.detach()
      await world.clock.elapse(1_500)
      expect(log.at(-1)).toBe('final goodbye')
      expect(server.open.length).toBe(0)
      expect(sent()).toEqual(['session.update', 'input_audio_buffer.commit'])
      expect(context.connections).toMatchObject([{ how: 'acknowledged' }])
      await context.scope.close()
    }))

  it('[LK7] closes at once if nothing was said', () =>
    inVirtualTime(async (world) => {
      const { quiet, context, sent, log } = await listen(world)
      quiet(2_000)
      const report = await context.scope.close()
      expect(report.took).toBeLessThan(300)
      expect(sent()).toEqual(['session.update', 'input_audio_buffer.clear'])
      expect(context.connections).toMatchObject([{ how: 'acknowledged' }])
      expect(log).toEqual([])
    }))

  it('[LK7] closes on time although the service has stopped responding', () =>
    inVirtualTime(async (world) => {
      const { say, server, context } = await listen(world)
      say('goodbye')
      server.stall()
      const report = await context.scope.close()
      expect(report.took).toBeLessThan(2_500)
      expect(world.network.sockets.list()).toEqual([])
    }))

  it('[LK2] continues after a drop without repeating words', () =>
    inVirtualTime(async (world) => {
      const { log, say, stream, server, context } = await listen(world)
      say('one')
      stream.flush()
      await world.clock.elapse(1_000)
      server.drop()
      say('two')
      await world.clock.elapse(2_000)
      stream.flush()
      await world.clock.elapse(1_000)
      expect(log.filter((line) => line.startsWith('final'))).toEqual(['final one', 'final two'])
      expect(server.sessions.length).toBe(2)
      await context.scope.close()
    }))

  it('[PR1] reconnects when a transcript is not a string', () =>
    inVirtualTime(async (world) => {
      const { log, server, context } = await listen(world)
      const type = 'conversation.item.input_audio_transcription.completed'
      const event = { type, item_id: 'item', transcript: { toString: 1 } }
      server.open[0]!.connection.send(JSON.stringify(event))
      await world.clock.elapse(2_000)
      expect(server.sessions).toHaveLength(2)
      expect(log).toEqual([])
      await context.scope.close()
    }))

  it("[LK8] outlives the service's one-hour limit", () =>
    inVirtualTime(async (world) => {
      const { log, say, stream, server, context } = await listen(world)
      await world.clock.elapse(61 * 60_000)
      expect(server.sessions.length).toBe(2)
      expect(server.open.length).toBe(1)
      say('still here')
      stream.flush()
      await world.clock.elapse(1_000)
      expect(log.at(-1)).toBe('final still here')
      await context.scope.close()
    }))

  it('works as the STT of a session', () =>
    inVirtualTime(async (world) => {
      const server = serve(world, {})
      const line = new TestLine({ hears: pcm(24_000) })
      const { clock, random, network } = world
      const session = new Session({
        agent: new Agent({ instructions: 'You answer the phone.' }),
        models: {
          stt: new OpenAIStt({ apiKey: KEY, turnDetection: { type: 'server' } }),
          llm: new ScriptedLlm({ answers: ['Good morning.'] }),
          tts: new ScriptedTts({ speaks: [pcm(24_000)] }),
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
