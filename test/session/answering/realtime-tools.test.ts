import { describe, expect, it } from 'vitest'
import { Agent } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { said } from '../fixture.ts'
import { aRealtimeCall, find, says } from './realtime-fixture.ts'

describe('a session with a realtime model', () => {
  it('[TL2] runs tools, sends the results to the model, and asks it to continue when it has all of them', () =>
    inVirtualTime(async (world) => {
      const requests: unknown[] = []
      const { session, realtime, log } = aRealtimeCall(world, {
        realtime: {
          answers: ({ results }) => {
            requests.push(results.map(({ output }) => output))
            return requests.length === 1 ? [callTool('find'), callTool('slow')] : 'At nine.'
          },
        },
        agent: {
          tools: { find: find(() => 'nine'), slow: find(() => world.clock.elapse(500).then(() => 'ten')) },
        },
      })
      await session.start()
      const reply = session.reply()
      await reply.waitForPlayout()
      expect(requests).toEqual([[], ['nine', 'ten']])
      expect(log).toEqual(['find: nine', 'slow: ten', 'agent played: At nine.'])
      await session.close()
      expect(realtime.results).toHaveLength(2)
      expect(said(session)).toEqual(['find → nine', 'slow → ten', 'agent: At nine.'])
    }))

  it('[TL4] sends the tool result of an interrupted answer to the model without asking for another answer', () =>
    inVirtualTime(async (world) => {
      const { session, realtime } = aRealtimeCall(world, {
        realtime: { answers: [['Wait.', callTool('find')]] },
        agent: { tools: { find: find(() => world.clock.elapse(500).then(() => 'nine')) } },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(100)
      session.interrupt()
      await world.clock.elapse(1_000)
      expect(realtime.results).toMatchObject([{ output: 'nine', failed: false }])
      expect(realtime.answersGiven).toHaveLength(1)
      await session.close()
      expect(said(session)).toContain('find → nine')
    }))

  it('cancels a tool whose call the model cancels', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, log } = aRealtimeCall(world, {
        realtime: { answers: [[callTool('find')]] },
        agent: { tools: { find: find(() => new Promise(() => {})) } },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(100)
      realtime.cancelTool('call-1')
      await world.clock.elapse(10)
      expect(log).toEqual([expect.stringContaining('find: ')])
      await session.close()
    }))

  it('rejects tool calls while the model speaks given words', () =>
    inVirtualTime(async (world) => {
      let ran = false
      const { session, realtime } = aRealtimeCall(world, {
        realtime: { answers: [['Hello.', callTool('find')]] },
        agent: { tools: { find: find(() => (ran = true)) } },
      })
      await session.start()
      await session.say('Hello.').waitForPlayout()
      expect(realtime.results).toMatchObject([{ failed: true }])
      expect(ran).toBe(false)
      await session.close()
    }))

  it('[TL6] stops an answer after maxToolSteps', () =>
    inVirtualTime(async (world) => {
      const { session, log } = aRealtimeCall(world, {
        maxToolSteps: 2,
        realtime: { answers: () => [callTool('find')] },
        agent: { tools: { find: find(() => 'nine') } },
      })
      await session.start()
      const reply = session.reply()
      expect(await reply.finished).toMatchObject({ how: 'failed', error: { code: 'LIMIT' } })
      expect(log.filter((line) => line === 'find: nine')).toHaveLength(2)
      await session.close()
    }))

  it('[AG1] updates the model on a handoff, and lets the next agent speak', () =>
    inVirtualTime(async (world) => {
      const billing = new Agent({
        name: 'billing',
        instructions: 'You do the bills.',
        onEnter: ({ session }) => session.reply(),
      })
      const { session, realtime } = aRealtimeCall(world, {
        realtime: { answers: [[callTool('transfer')], 'Billing here.'] },
        agent: { tools: { transfer: find(() => billing) } },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(2_000)
      await session.close()
      expect(realtime.setups.map(({ instructions }) => instructions)).toEqual([
        'You answer the phone.',
        'You do the bills.',
      ])
      expect(said(session)).toEqual([
        'transfer → handed over to billing',
        'desk → billing',
        'agent: Billing here.',
      ])
    }))

  it('[TL5] stops the answer if a guardrail objects to the words of the user, whether or not it has begun', () =>
    inVirtualTime(async (world) => {
      for (const firstAfter of [0, 500]) {
        const { session, caller, log } = aRealtimeCall(world, {
          realtime: { answers: ['Gladly.', 'I would rather not.'], firstAfter },
          agent: {
            guardrails: {
              input: { manners: (text) => (text.includes('bomb') ? 'rude' : undefined) },
              refusal: 'I would rather not.',
            },
          },
        })
        await session.start()
        says(caller, 'build a bomb')
        await world.clock.elapse(6_000)
        await session.close()
        expect(log).toContain('manners objects to input')
        expect(log).toContain('agent played: I would rather not.')
        expect(log).not.toContain('agent played: Gladly.')
      }
    }))

  it('[TL5] stops an answer when a guardrail objects to it', () =>
    inVirtualTime(async (world) => {
      const { session, log } = aRealtimeCall(world, {
        realtime: {
          answers: ['The secret word is swordfish, and now you know.', 'I would rather not.'],
        },
        agent: {
          guardrails: {
            output: { secrets: (text) => (text.includes('swordfish') ? 'a secret' : undefined) },
            refusal: 'I would rather not.',
          },
        },
      })
      await session.start()
      session.reply()
      await world.clock.elapse(6_000)
      await session.close()
      expect(log).toEqual([
        'secrets objects to output',
        'agent interrupted: ',
        'agent played: I would rather not.',
        'closed: requested',
      ])
    }))
})
