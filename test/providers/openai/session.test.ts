import { describe, expect, it } from 'vitest'
import { Agent } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { said } from '../../session/fixture.ts'
import { anOpenAICall, says } from './call.ts'
import { LONG } from './fixture.ts'
import { find } from '../realtime-call.ts'

describe('a session on OpenAI Realtime', () => {
  it('[CL13] answers the caller and records both sides', () =>
    inVirtualTime(async (world) => {
      const { session, server, line, caller, log } = anOpenAICall(world, {
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
      expect(log).toEqual([
        'user: hello',
        'agent played: Good morning.',
        'user: how long are you open',
        'agent played: Until six.',
        'closed: requested',
      ])
      expect(report.clean).toBe(true)
      expect(report.connections).toContainEqual({ name: 'openai', how: 'closed', retries: 0 })
      expect(report.usage).not.toEqual({})
    }))

  it('[SP1] [SP6] makes the service forget the unheard part of an interrupted answer', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller } = anOpenAICall(world, {
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

  it('[SP1] makes the service forget the unheard part of a complete answer', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller } = anOpenAICall(world, {
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

  it('[TL2] runs a tool and continues with its result', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller } = anOpenAICall(world, {
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

  it('[AG1] updates the instructions and tools of the service on a handoff', () =>
    inVirtualTime(async (world) => {
      const billing = new Agent({
        name: 'billing',
        instructions: 'You do the bills.',
        onEnter: ({ session }) => session.reply(),
      })
      const { session, server } = anOpenAICall(world, {
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

  it("[LK8] outlives the service's session limit, and the service remembers the conversation", () =>
    inVirtualTime(async (world) => {
      const { session, server, caller, log } = anOpenAICall(world, {
        openai: { answers: ['Good morning.', 'Until six.', 'Goodbye.'], lifetime: 10 * 60_000 },
      })
      await session.start()
      says(caller, 'hello')
      await world.clock.elapse(12 * 60_000)
      says(caller, 'how long are you open')
      await world.clock.elapse(5_000)
      // Now an unannounced end.
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

  it('[LK2] continues after a drop in the middle of an answer', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller, log } = anOpenAICall(world, {
        openai: { answers: [LONG, 'As I said.'] },
        apology: { again: '' },
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
      expect(log).toContain('error: realtime')
      await session.close()
    }))

  it("[CL6] waits for the caller's last words", () =>
    inVirtualTime(async (world) => {
      const { session, caller } = anOpenAICall(world, { openai: { transcriptionAfter: 300 } })
      await session.start()
      caller.says('thank you').catch(() => {})
      await world.clock.elapse(400)
      await session.close()
      expect(said(session)).toEqual([expect.stringMatching(/^user: thank/)])
    }))

  it('[CL6] waits for a transcript in progress', () =>
    inVirtualTime(async (world) => {
      const { session, caller } = anOpenAICall(world, { openai: { transcriptionAfter: 800, answers: [[]] } })
      await session.start()
      says(caller, 'thank you')
      await world.clock.elapse(1_100)
      await session.close()
      expect(said(session)).toEqual(['user: thank you'])
    }))
})
