import { describe, expect, it } from 'vitest'
import { fallbackRealtime } from '../../src/parts/fallback/index.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { OpenAIRealtime } from '../../src/providers/openai/index.ts'
import { callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import {
  GeminiLiveServer,
  OpenAIRealtimeServer,
  type GeminiLiveServerOptions,
  type OpenAIRealtimeServerOptions,
} from '../../src/testing/servers/index.ts'
import { said } from '../session/fixture.ts'
import { says } from './gemini/call.ts'
import { find, realtimeCall, type RealtimeCallOptions } from './realtime-call.ts'

const KEY = 'sk-secret-0123456789'

interface TwoVendors extends RealtimeCallOptions {
  readonly openai?: OpenAIRealtimeServerOptions
  readonly gemini?: GeminiLiveServerOptions
}

/** A session on OpenAI, with Gemini to take over. */
function call(world: World, { openai: first, gemini: second, ...rest }: TwoVendors) {
  const openai = new OpenAIRealtimeServer({ clock: world.clock, apiKey: KEY, ...first })
  const gemini = new GeminiLiveServer({ clock: world.clock, apiKey: KEY, ...second })
  world.network.serve = (request) =>
    request.url.includes('openai') ? openai.serve(request) : gemini.serve(request)
  const models = [new OpenAIRealtime({ apiKey: KEY }), new GeminiLive({ apiKey: KEY })]
  return { openai, gemini, ...realtimeCall(world, fallbackRealtime(models), rest) }
}

/** OpenAI closes the connection, and accepts no other. */
function goesDown(openai: OpenAIRealtimeServer): void {
  openai.manners.refuse = 503
  openai.drop()
}

describe('a session on OpenAI with a fallback to Gemini', () => {
  it('[FB5] goes on with Gemini, which knows what was said and gets the result of a tool that was running', () =>
    inVirtualTime(async (world) => {
      const found: ((slot: string) => void)[] = []
      const { session, caller, openai, gemini, log } = call(world, {
        openai: { answers: ['Good morning.', [callTool('find')]] },
        gemini: { answers: ['At nine.', 'You are welcome.'] },
        agent: { tools: { find: find(() => new Promise((resolve) => found.push(resolve))) } },
      })
      await session.start()
      await says(caller, 'hello')
      await world.clock.elapse(3_000)
      await says(caller, 'when are you free')
      await world.clock.elapse(1_000)
      expect(found).toHaveLength(1)
      goesDown(openai)
      await world.clock.elapse(10_000)
      found[0]!('nine')
      await world.clock.elapse(3_000)
      // Typed: the server cannot read resampled speech.
      caller.types('Thank you.')
      await world.clock.elapse(3_000)
      const report = await session.close()
      expect(log).toEqual([
        'user: hello',
        'agent played: Good morning.',
        'user: when are you free',
        'find: nine',
        'agent played: At nine.',
        'user: Thank you.',
        'agent played: You are welcome.',
        'closed: requested',
      ])
      expect(gemini.transcript).toEqual([
        'user: hello',
        'model: Good morning.',
        'user: when are you free',
        'model: find({})',
        'user: {"output":"nine"}',
        'model: At nine.',
        'user: Thank you.',
        'model: You are welcome.',
      ])
      expect(said(session)).toContain('agent: At nine.')
      expect([openai.open.length, gemini.open.length]).toEqual([0, 0])
      expect(report.connections.map(({ name, how }) => `${name} ${how}`)).toEqual([
        'openai dropped',
        'gemini closed',
        'line closed',
      ])
      expect(report.scope.clean).toBe(true)
    }))

  it('[FB5] apologises for an answer that was cut, and goes on', () =>
    inVirtualTime(async (world) => {
      const { session, caller, openai, gemini, log } = call(world, {
        openai: { answers: ['Good morning to you and to all of your friends.'], speed: 1 },
        gemini: { answers: ['I am sorry.', 'At nine.'] },
        apology: { again: 'I am sorry.' },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(600)
      goesDown(openai)
      await world.clock.elapse(20_000)
      caller.types('When is it?')
      await world.clock.elapse(3_000)
      await session.close()
      expect(log).toEqual([
        'error: realtime',
        'agent failed: Good',
        'agent played: I am sorry.',
        'user: When is it?',
        'agent played: At nine.',
        'closed: requested',
      ])
      expect(gemini.transcript[0]).toMatch(/^model: Good/)
      expect([openai.open.length, gemini.open.length]).toEqual([0, 0])
    }))

  it('[FB2] begins the next call with Gemini', () =>
    inVirtualTime(async (world) => {
      const openai = new OpenAIRealtimeServer({ clock: world.clock, apiKey: KEY })
      const gemini = new GeminiLiveServer({ clock: world.clock, apiKey: KEY, answers: () => 'Hello.' })
      const dialled: string[] = []
      openai.manners.refuse = 503
      world.network.serve = (request) => {
        const isOpenAI = request.url.includes('openai')
        dialled.push(isOpenAI ? 'openai' : 'gemini')
        return isOpenAI ? openai.serve(request) : gemini.serve(request)
      }
      const models = [new OpenAIRealtime({ apiKey: KEY }), new GeminiLive({ apiKey: KEY })]
      const realtime = fallbackRealtime(models)
      for (const expected of [['openai', 'gemini'], ['gemini']]) {
        dialled.length = 0
        const { session } = realtimeCall(world, realtime, {})
        await session.start()
        await session.reply().waitForPlayout()
        await session.close()
        expect([...new Set(dialled)]).toEqual(expected)
      }
    }))
})
