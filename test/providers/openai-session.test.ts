import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { OpenAIRealtime } from '../../src/providers/openai/index.ts'
import { Agent, Session, tool, type AgentOptions, type SessionOptions } from '../../src/session/index.ts'
import { TestLine, callTool, inVirtualTime, type TestCaller, type World } from '../../src/testing/index.ts'
import type { OpenAIRealtimeServerOptions } from '../../src/testing/servers/index.ts'
import { said } from '../session/fixture.ts'
import { KEY, serve } from './openai-fixture.ts'

interface OpenAICall extends Partial<Omit<SessionOptions, 'agent' | 'models' | 'line'>> {
  agent?: Partial<AgentOptions>
  openai?: OpenAIRealtimeServerOptions
}

/** A session whose mind is OpenAI's, on a simulated network. */
function aCall(world: World, { agent, openai = {}, ...rest }: OpenAICall = {}) {
  const server = serve(world, openai)
  // The rate of the model: resampled words could not be read.
  const line = new TestLine({ sampleRate: 24_000 })
  const { clock, random, network } = world
  const session = new Session({
    agent: new Agent({ name: 'desk', instructions: 'You answer the phone.', ...agent }),
    models: { realtime: new OpenAIRealtime({ apiKey: KEY }) },
    line,
    clock,
    random,
    network,
    ...rest,
  })
  const log: string[] = []
  session.on('spoken', ({ outcome }) => log.push(`agent ${outcome.how}: ${outcome.heard}`))
  session.on('error', ({ where }) => log.push(`error: ${where}`))
  return { session, server, line, caller: line.caller, log }
}

/** Says something, and is silent for as long as the service needs to hear that it was all. */
function says(caller: TestCaller, words: string): void {
  caller
    .says(words)
    .then(() => caller.pauses(600))
    .catch(() => {})
}

const LONG = 'Good morning to you and to all of your friends.'

const find = (run: () => unknown) => tool({ description: 'Finds a slot', input: z.object({}), run })

describe('a session on OpenAI Realtime', () => {
  it('[CL13] talks: what the caller says is heard, answered and written down', () =>
    inVirtualTime(async (world) => {
      const { session, server, line, caller, log } = aCall(world, {
        openai: { answers: ['Good morning.', 'Until six.'] },
      })
      await session.start()
      says(caller, 'hello')
      await world.clock.elapse(3_000)
      says(caller, 'how long are you open')
      await world.clock.elapse(5_000)
      const report = await session.close()
      const conversation = [
        'user: hello',
        'agent: Good morning.',
        'user: how long are you open',
        'agent: Until six.',
      ]
      expect(said(session)).toEqual(conversation)
      expect(server.transcript.map((each) => each.replace('assistant', 'agent'))).toEqual(conversation)
      expect(line.heardText).toBe('Good morning.Until six.')
      expect(log).toEqual(['agent played: Good morning.', 'agent played: Until six.'])
      expect(report.clean).toBe(true)
      expect(report.connections).toContainEqual({ name: 'openai', how: 'closed', retries: 0 })
      expect(report.usage).not.toEqual({})
    }))

  it('[SP1] [SP6] is interrupted, and the service forgets what was not heard', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller } = aCall(world, {
        openai: { answers: [LONG, 'Sorry.'] },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(700)
      says(caller, 'stop')
      await world.clock.elapse(5_000)
      await session.close()
      expect(said(session)).toEqual(['agent: Good morning —', 'user: stop', 'agent: Sorry.'])
      const cut = server.sessions[0]!.received.find(({ type }) => type === 'conversation.item.truncate')
      expect(cut).toMatchObject({ audio_end_ms: expect.closeTo(720, -2) as number })
      expect(server.transcript[0]).toMatch(/^assistant: Good morning/)
      expect(server.transcript[0]).not.toContain('friends')
    }))

  it('[SP1] is interrupted when the service has long made the whole answer', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller } = aCall(world, {
        openai: { answers: [LONG, 'Sorry.'], speed: Infinity },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(700)
      says(caller, 'stop')
      await world.clock.elapse(5_000)
      await session.close()
      expect(said(session)).toEqual(['agent: Good morning —', 'user: stop', 'agent: Sorry.'])
      expect(server.transcript[0]).not.toContain('friends')
    }))

  it('[TL2] calls a tool, and goes on with its result', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller } = aCall(world, {
        openai: { answers: [['One moment.', callTool('find')], 'At nine.'] },
        agent: { tools: { find: find(() => world.clock.elapse(500).then(() => 'nine')) } },
      })
      await session.start()
      says(caller, 'is there a slot')
      await world.clock.elapse(6_000)
      await session.close()
      expect(said(session)).toEqual([
        'user: is there a slot',
        'agent: One moment.',
        'find → nine',
        'agent: At nine.',
      ])
      expect(server.transcript.slice(2)).toEqual([
        'function_call: find({})',
        'function_call_output: nine',
        'assistant: At nine.',
      ])
    }))

  it('[AG1] hands over: the service is told who it is now', () =>
    inVirtualTime(async (world) => {
      const billing = new Agent({
        name: 'billing',
        instructions: 'You do the bills.',
        onEnter: ({ session }) => session.reply(),
      })
      const { session, server } = aCall(world, {
        openai: { answers: [[callTool('transfer')], 'Billing here.'] },
        agent: { tools: { transfer: find(() => billing) } },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(3_000)
      expect(server.open[0]?.settings).toMatchObject({ instructions: 'You do the bills.', tools: [] })
      await session.close()
      expect(said(session).at(-1)).toBe('agent: Billing here.')
    }))

  it('[LK8] lives longer than an hour, and the service remembers what was said', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller, log } = aCall(world, {
        openai: { answers: ['Good morning.', 'Until six.', 'Goodbye.'], lifetime: 10 * 60_000 },
      })
      await session.start()
      says(caller, 'hello')
      await world.clock.elapse(12 * 60_000)
      says(caller, 'how long are you open')
      await world.clock.elapse(5_000)
      // Now without notice, as when it was not planned.
      await world.clock.elapse(20_000)
      server.expire()
      await world.clock.elapse(1_000)
      says(caller, 'thank you')
      await world.clock.elapse(5_000)
      const report = await session.close()
      expect(server.sessions.length).toBe(3)
      expect(server.transcript).toEqual([
        'user: hello',
        'assistant: Good morning.',
        'user: how long are you open',
        'assistant: Until six.',
        'user: thank you',
        'assistant: Goodbye.',
      ])
      expect(log.filter((line) => line.startsWith('error'))).toEqual([])
      expect(report.clean).toBe(true)
    }))

  it('[LK2] goes on after a drop in the middle of an answer', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller, log } = aCall(world, {
        openai: { answers: [LONG, 'As I said.'] },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(300)
      server.drop()
      expect(await reply.finished).toMatchObject({ how: 'failed' })
      await world.clock.elapse(3_000)
      says(caller, 'what')
      await world.clock.elapse(4_000)
      expect(said(session).at(-1)).toBe('agent: As I said.')
      expect(log).toContain('error: reply')
      await session.close()
    }))

  it('[CL6] waits for the last words of the caller', () =>
    inVirtualTime(async (world) => {
      const { session, caller } = aCall(world, { openai: { transcriptionAfter: 300 } })
      await session.start()
      caller.says('thank you').catch(() => {})
      await world.clock.elapse(400)
      await session.close()
      expect(said(session)).toEqual([expect.stringMatching(/^user: thank/)])
    }))

  it('[CL6] waits for words that are being written down', () =>
    inVirtualTime(async (world) => {
      const { session, caller } = aCall(world, { openai: { transcriptionAfter: 800, answers: [[]] } })
      await session.start()
      says(caller, 'thank you')
      await world.clock.elapse(1_100)
      await session.close()
      expect(said(session)).toEqual(['user: thank you'])
    }))
})

describe('a session on OpenAI Realtime that is closed', () => {
  /** When, and what the service is like then. */
  const phases: [
    when: string,
    openai: OpenAIRealtimeServerOptions,
    act: (call: Call, world: World) => unknown,
  ][] = [
    ['while it dials', { manners: { connect: 'never' } }, () => {}],
    ['while it is set up', { manners: { latency: 1_000 } }, (_, { clock }) => clock.elapse(500)],
    ['while nothing happens', {}, ({ session }) => session.start()],
    [
      'while the caller speaks',
      {},
      async ({ session, caller }, { clock }) => {
        await session.start()
        says(caller, 'good morning')
        await clock.elapse(300)
      },
    ],
    [
      'in the middle of an answer',
      { answers: [[LONG, { stall: true }]] },
      async ({ session }, { clock }) => {
        await session.start()
        session.reply()
        await clock.elapse(400)
      },
    ],
    [
      'before an answer',
      { firstAfter: 10_000, answers: ['Late.'] },
      async ({ session }, { clock }) => {
        await session.start()
        session.reply()
        await clock.elapse(400)
      },
    ],
    [
      'while it waits for a retry',
      {},
      async ({ session, server }, { clock }) => {
        await session.start()
        server.manners.refuse = 503
        server.drop()
        await clock.elapse(300)
      },
    ],
    [
      'while it rolls over',
      { lifetime: 60_000 },
      async ({ session, server }, { clock }) => {
        await session.start()
        server.manners.connect = 1_000
        await clock.elapse(45_500)
      },
    ],
  ]

  it.each(phases)('[LK1] [LK6] [LK9] %s leaves no socket, and opens none', (_, openai, act) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { openai })
      const { session, server } = call
      session.start().catch(() => {})
      await act(call, world)
      const dials = world.network.dials
      const closing = session.close()
      // What was sent before the intent has arrived by then.
      await world.clock.elapse(5)
      const received = server.sessions.map((each) => each.received.length)
      const report = await closing
      expect(report.took).toBeLessThan(2_500)
      expect(world.network.sockets.list()).toEqual([])
      await world.clock.elapse(60_000)
      expect(server.open.length).toBe(0)
      expect(world.network.dials).toBe(dials)
      expect(server.sessions.map((each) => each.received.length)).toEqual(received)
    }),
  )

  it('[LK6] is closed cleanly, though the service never answers a close frame', () =>
    inVirtualTime(async (world) => {
      const { session } = aCall(world)
      await session.start()
      const report = await session.close()
      expect(report.took).toBe(250)
      expect(report.clean).toBe(true)
    }))
})

type Call = ReturnType<typeof aCall>
