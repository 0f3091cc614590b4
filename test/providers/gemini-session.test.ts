import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import {
  Agent,
  Session,
  SessionClosedError,
  tool,
  type AgentOptions,
  type SessionOptions,
} from '../../src/session/index.ts'
import { TestLine, callTool, inVirtualTime, type TestCaller, type World } from '../../src/testing/index.ts'
import { GeminiLiveServer, type GeminiLiveServerOptions } from '../../src/testing/servers/index.ts'
import { said } from '../session/fixture.ts'
import { KEY } from './gemini-fixture.ts'

interface GeminiCall extends Partial<Omit<SessionOptions, 'agent' | 'models' | 'line'>> {
  agent?: Partial<AgentOptions>
  server?: GeminiLiveServerOptions
}

/** A whole session over the simulated network, and what happens to it. */
function aGeminiCall(
  { clock, random, network }: World,
  { agent, server: manners, ...rest }: GeminiCall = {},
) {
  const server = new GeminiLiveServer({ clock, apiKey: KEY, ...manners })
  network.serve = server.serve
  const line = new TestLine()
  const session = new Session({
    agent: new Agent({ name: 'desk', instructions: 'You answer the phone.', ...agent }),
    models: { realtime: new GeminiLive({ apiKey: KEY }) },
    line,
    clock,
    random,
    network,
    ...rest,
  })
  const log: string[] = []
  session.on('user', ({ text }) => log.push(`user: ${text}`))
  session.on('spoken', ({ outcome }) => log.push(`agent ${outcome.how}: ${outcome.heard}`))
  session.on('tool-done', ({ name, outcome }) => log.push(`${name}: ${outcome.output}`))
  session.on('error', ({ where }) => log.push(`error: ${where}`))
  session.on('closed', ({ reason }) => log.push(`closed: ${reason}`))
  return { session, server, line, caller: line.caller, log }
}

const find = (run: () => unknown) => tool({ description: 'Finds a slot', input: z.object({}), run })

/** Says something, and is silent for as long as the service needs to hear that it was all. */
async function says(caller: TestCaller, words: string): Promise<void> {
  await caller.says(words)
  await caller.pauses(600)
}

describe('a session on Gemini', () => {
  it('talks: what the caller says is heard, answered and written down', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller, log } = aGeminiCall(world, {
        server: { answers: ['Good morning.', 'Until six.'] },
      })
      await session.start()
      await says(caller, 'hello')
      await world.clock.elapse(2_000)
      await says(caller, 'how long are you open')
      await world.clock.elapse(3_000)
      const report = await session.close()
      expect(said(session)).toEqual([
        'user: hello',
        'agent: Good morning.',
        'user: how long are you open',
        'agent: Until six.',
      ])
      expect(log).toEqual([
        'user: hello',
        'agent played: Good morning.',
        'user: how long are you open',
        'agent played: Until six.',
        'closed: requested',
      ])
      expect(server.transcript).toEqual([
        'user: hello',
        'model: Good morning.',
        'user: how long are you open',
        'model: Until six.',
      ])
      expect(report).toMatchObject({ clean: true, connections: [{}, { name: 'gemini', how: 'closed' }] })
      expect(report.usage.outputTokens).toBeGreaterThan(0)
    }))

  it('goes on with what was said before', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller } = aGeminiCall(world, { server: { answers: ['At nine.'] } })
      session.history.addUser('It is me again.', { at: 0 })
      await session.start()
      caller.types('When is it?')
      await world.clock.elapse(2_000)
      await session.close()
      expect(server.transcript).toEqual(['user: It is me again.', 'user: When is it?', 'model: At nine.'])
    }))

  it('[SP1] is interrupted by the caller, and answers what was said', () =>
    inVirtualTime(async (world) => {
      const { session, caller, log, server } = aGeminiCall(world, {
        server: { answers: ['Good morning to you and yours.', 'Sorry.'] },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(400)
      await says(caller, 'stop')
      await world.clock.elapse(3_000)
      await session.close()
      expect(log[0]).toMatch(/^agent interrupted: Good/)
      expect(log.slice(1)).toEqual(['user: stop', 'agent played: Sorry.', 'closed: requested'])
      expect(
        server.sessions[0]!.received.some(({ clientContent }) => clientContent?.turnComplete === false),
      ).toBe(false)
    }))

  it('[SP1] is interrupted by hand: the service is made to stop', () =>
    inVirtualTime(async (world) => {
      const { session, log, server } = aGeminiCall(world, {
        server: { answers: ['Good morning to you and yours.', 'Sorry.'], speed: 1 },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(400)
      session.interrupt()
      await session.reply().waitForPlayout()
      await session.close()
      expect(log).toEqual([
        expect.stringMatching(/^agent interrupted: Good( m)?/),
        'agent played: Sorry.',
        'closed: requested',
      ])
      expect(server.transcript[0]).toMatch(/^model: Good m/)
    }))

  it('[TL2] calls tools, several at a time, and goes on with their results', () =>
    inVirtualTime(async (world) => {
      const asked: unknown[] = []
      const { session, log } = aGeminiCall(world, {
        server: {
          answers: ({ results }) => {
            asked.push(results.map(({ response }) => response))
            return asked.length === 1 ? ['One moment.', callTool('find'), callTool('slow')] : 'At nine.'
          },
        },
        agent: {
          tools: { find: find(() => 'nine'), slow: find(() => world.clock.elapse(500).then(() => 'ten')) },
        },
      })
      await session.start()
      await session.reply().waitForPlayout()
      expect(asked).toEqual([[], [{ output: 'nine' }, { output: 'ten' }]])
      await session.close()
      expect(log).toEqual([
        'find: nine',
        'agent played: One moment.',
        'slow: ten',
        'agent played: At nine.',
        'closed: requested',
      ])
    }))

  it('[TL1] cancels a tool that the model takes back because the caller speaks', () =>
    inVirtualTime(async (world) => {
      const { session, caller, log } = aGeminiCall(world, {
        server: { answers: [[callTool('find')], 'Yes?'] },
        agent: { tools: { find: find(() => new Promise(() => {})) } },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(100)
      await says(caller, 'never mind')
      await world.clock.elapse(2_000)
      await session.close()
      expect(log[0]).toMatch(/^find: /)
      expect(log.slice(1)).toEqual(['user: never mind', 'agent played: Yes?', 'closed: requested'])
    }))

  it('[AG1] hands over by a tool: the next agent knows the conversation, and the old one says nothing more', () =>
    inVirtualTime(async (world) => {
      const billing = new Agent({
        name: 'billing',
        instructions: 'You do the bills.',
        onEnter: ({ session }) => session.reply(),
      })
      const { session, caller, server } = aGeminiCall(world, {
        server: { answers: ['Hello.', [callTool('transfer')], 'Billing here.', 'Forty euros.'] },
        agent: { tools: { transfer: find(() => billing) } },
      })
      await session.start()
      await says(caller, 'hello')
      await world.clock.elapse(1_000)
      await says(caller, 'billing please')
      await world.clock.elapse(2_000)
      await says(caller, 'how much is it')
      await world.clock.elapse(2_000)
      const report = await session.close()
      expect(said(session)).toEqual([
        'user: hello',
        'agent: Hello.',
        'user: billing please',
        'transfer → handed over to billing',
        'desk → billing',
        'agent: Billing here.',
        'user: how much is it',
        'agent: Forty euros.',
      ])
      expect(server.transcript).toEqual([
        'user: hello',
        'model: Hello.',
        'user: billing please',
        'model: transfer({})',
        'user: {"output":"handed over to billing"}',
        'model: Billing here.',
        'user: how much is it',
        'model: Forty euros.',
      ])
      expect(server.sessions.map(({ setup }) => setup?.systemInstruction)).toEqual([
        { parts: [{ text: 'You answer the phone.' }] },
        { parts: [{ text: 'You do the bills.' }] },
      ])
      expect(report).toMatchObject({ clean: true })
      expect(report.connections).toContainEqual(expect.objectContaining({ name: 'gemini', retries: 0 }))
    }))

  it('[LK8] goes on when the service sends it away in the middle of the call', () =>
    inVirtualTime(async (world) => {
      const { session, caller, server, log } = aGeminiCall(world, {
        server: { answers: ['Good morning.', 'Until six.', 'You are welcome.'] },
      })
      await session.start()
      await says(caller, 'hello')
      await world.clock.elapse(200)
      server.goAway(10_000)
      await world.clock.elapse(2_000)
      await says(caller, 'how long are you open')
      await world.clock.elapse(2_000)
      server.goAway(10_000)
      await says(caller, 'thank you')
      await world.clock.elapse(3_000)
      const report = await session.close()
      expect(log).toEqual([
        'user: hello',
        'agent played: Good morning.',
        'user: how long are you open',
        'agent played: Until six.',
        'user: thank you',
        'agent played: You are welcome.',
        'closed: requested',
      ])
      expect(server.sessions).toHaveLength(3)
      expect(server.transcript).toHaveLength(6)
      expect(report).toMatchObject({ clean: true })
    }))

  it('[LK2] goes on after a drop, and says that an answer was lost', () =>
    inVirtualTime(async (world) => {
      const { session, caller, server, log } = aGeminiCall(world, {
        server: {
          answers: ['Good morning.', 'Until six, and on Sundays until four.', 'Until six.'],
          speed: 1,
        },
      })
      await session.start()
      await says(caller, 'hello')
      await world.clock.elapse(2_000)
      await says(caller, 'how long are you open')
      await world.clock.elapse(300)
      server.drop()
      await world.clock.elapse(3_000)
      await says(caller, 'pardon')
      await world.clock.elapse(3_000)
      const report = await session.close()
      expect(log[0]).toBe('user: hello')
      expect(log).toContain('error: reply')
      expect(log.slice(-3)).toEqual(['user: pardon', 'agent played: Until six.', 'closed: requested'])
      expect(server.transcript.slice(0, 3)).toEqual([
        'user: hello',
        'model: Good morning.',
        'user: how long are you open',
      ])
      expect(report.connections).toContainEqual(expect.objectContaining({ name: 'gemini', retries: 1 }))
    }))

  it('[LK2] ends with an error when it cannot go on', () =>
    inVirtualTime(async (world) => {
      const { session, server, log } = aGeminiCall(world)
      await session.start()
      server.manners.refuse = 403
      server.drop()
      await world.clock.elapse(5_000)
      expect(session.state).toBe('closed')
      expect(log).toEqual(['error: realtime', 'closed: error'])
      expect(world.network.dials).toBe(2)
    }))

  it('takes turns by hand', () =>
    inVirtualTime(async (world) => {
      const { session, caller } = aGeminiCall(world, {
        turns: { mode: 'manual' },
        server: { answers: ['Yes.'] },
      })
      await session.start()
      await says(caller, 'are you there')
      await world.clock.elapse(3_000)
      expect(said(session)).toEqual([])
      session.commitTurn()
      await world.clock.elapse(2_000)
      await session.close()
      expect(said(session)).toEqual(['user: are you there', 'agent: Yes.'])
    }))

  it('[CL6] keeps the last words of the caller', () =>
    inVirtualTime(async (world) => {
      const { session, caller } = aGeminiCall(world, { server: { answers: ['Bye.'] } })
      await session.start()
      caller.says('thank you so much').catch(() => {})
      await world.clock.elapse(600)
      await session.close()
      expect(said(session)).toEqual(['user: thank you s'])
    }))

  it('[CL3] finishes the answer it owes when it drains', () =>
    inVirtualTime(async (world) => {
      const { session, caller, log } = aGeminiCall(world, {
        server: { answers: ['Until six.'], firstAfter: 400 },
      })
      await session.start()
      await says(caller, 'how long are you open')
      await world.clock.elapse(600)
      await session.drain()
      expect(world.clock.now()).toBeLessThan(6_000)
      expect(log).toContain('agent played: Until six.')
    }))

  it.each<[phase: string, bring: (call: ReturnType<typeof aGeminiCall>, world: World) => Promise<unknown>]>([
    ['idle', ({ session }) => session.start()],
    [
      'speaking',
      async ({ session }, { clock }) => {
        await session.start()
        session.reply()
        await clock.elapse(300)
      },
    ],
    [
      'rolling over',
      async ({ session, server }, { clock }) => {
        await session.start()
        server.manners.connect = 1_000
        server.goAway(10_000)
        await clock.elapse(100)
      },
    ],
    [
      'resuming',
      async ({ session, server }, { clock }) => {
        await session.start()
        server.offerHandle()
        await clock.elapse(10)
        server.ignoresSetup = true
        server.drop()
        await clock.elapse(1_000)
      },
    ],
  ])('[LK1] [CL1] is closed while it is %s: the socket ends, and nothing is dialled after it', (_, bring) =>
    inVirtualTime(async (world) => {
      const call = aGeminiCall(world, { server: { answers: ['Good morning to you and yours.'] } })
      await bring(call, world)
      const closed = call.session.close()
      const { dials } = world.network
      const report = await closed
      expect(report.took).toBeLessThan(5_000)
      await world.clock.elapse(60_000)
      expect(call.server.open).toEqual([])
      expect(world.network.sockets.list()).toEqual([])
      expect(world.network.dials).toBe(dials)
      expect(call.log.filter((line) => line.startsWith('closed'))).toHaveLength(1)
    }),
  )

  it.each([
    ['connecting', { connect: 'never' as const }, false],
    ['setting up', {}, true],
  ])('[CL8] is closed while it is still %s', (_, manners, ignoresSetup) =>
    inVirtualTime(async (world) => {
      const { session, server } = aGeminiCall(world, { server: { manners } })
      server.ignoresSetup = ignoresSetup
      const starting = expect(session.start()).rejects.toThrow(SessionClosedError)
      await world.clock.elapse(500)
      const report = await session.close()
      await starting
      expect(report.took).toBeLessThan(5_000)
      await world.clock.elapse(60_000)
      expect(server.open).toEqual([])
      expect(world.network.sockets.list()).toEqual([])
      expect(world.network.dials).toBe(1)
    }),
  )
})
