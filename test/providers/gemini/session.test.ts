import { describe, expect, it } from 'vitest'
import { Agent } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { said } from '../../session/fixture.ts'
import { aGeminiCall, says } from './call.ts'
import { find } from '../realtime-call.ts'

describe('a session on Gemini', () => {
  it('answers the caller and records both sides', () =>
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

  it('continues an earlier conversation', () =>
    inVirtualTime(async (world) => {
      const { session, server, caller } = aGeminiCall(world, { server: { answers: ['At nine.'] } })
      session.history.addUser('It is me again.', { at: 0 })
      await session.start()
      caller.types('When is it?')
      await world.clock.elapse(2_000)
      await session.close()
      expect(server.transcript).toEqual(['user: It is me again.', 'user: When is it?', 'model: At nine.'])
    }))

  it('[SP1] is interrupted by the caller and answers what the caller said', () =>
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

  it('[SP1] hears no more of an answer after interrupt(), and gets the next one', () =>
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
      expect(server.transcript[1]).toMatch(/^model: Good m/)
    }))

  it('[TL2] runs several tools at a time and continues with their results', () =>
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

  it('[TL1] cancels a tool when the model cancels the call because the caller speaks', () =>
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

  it('[AG1] hands over through a tool, and the next agent knows the conversation', () =>
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
        { parts: [{ text: 'You do the bills.' }] },
      ])
      expect(report).toMatchObject({ clean: true })
      expect(report.connections).toContainEqual(expect.objectContaining({ name: 'gemini', retries: 0 }))
    }))

  it('[LK8] continues after the service sent goAway during the call', () =>
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

  it('[LK2] continues after a drop, and emits an error for the lost answer', () =>
    inVirtualTime(async (world) => {
      const { session, caller, server, log } = aGeminiCall(world, {
        server: {
          answers: ['Good morning.', 'Until six, and on Sundays until four.', 'Until six.'],
          speed: 1,
        },
        apology: { again: '' },
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
      expect(log).toContain('error: realtime')
      expect(log.slice(-3)).toEqual(['user: pardon', 'agent played: Until six.', 'closed: requested'])
      expect(server.transcript.slice(0, 3)).toEqual([
        'user: hello',
        'model: Good morning.',
        'user: how long are you open',
      ])
      expect(report.connections).toContainEqual(expect.objectContaining({ name: 'gemini', retries: 1 }))
    }))

  it('[LK2] ends with an error when it cannot reconnect', () =>
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

  it('waits for commitTurn() in manual mode', () =>
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
})
