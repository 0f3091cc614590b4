import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { milestones, talk } from './fixture.ts'

const MINUTE = 60_000

/** A minute of pauses, none of them long enough for the connection to count as silent. */
const slowly = Array.from({ length: 12 }, () => [{ wait: 5_000 }, ' hm,']).flat()

describe('the one-hour limit of an OpenAI session', () => {
  it('[LK8] is avoided by a new connection, to which the conversation is carried over', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log, warnings } = await talk(world, {
        answers: [['One moment.', callTool('find')], 'At nine.', 'You are welcome.'],
        setup: { messages: [{ role: 'user', text: 'It is me again.' }] },
      })
      server.hear('is there a slot')
      await world.clock.elapse(2_000)
      model.toolResult('call-1', 'nine', false)
      model.respond()
      await world.clock.elapse(57 * MINUTE)
      expect(server.sessions.length).toBe(1)
      const before = log.length
      await world.clock.elapse(MINUTE)
      expect(server.sessions.length).toBe(2)
      expect(server.open.length).toBe(1)
      expect(server.transcript).toEqual([
        'user: It is me again.',
        'user: is there a slot',
        'assistant: One moment.',
        'function_call: find({})',
        'function_call_output: nine',
        'assistant: At nine.',
      ])
      expect(log).toHaveLength(before)
      server.hear('thank you')
      await world.clock.elapse(2_000)
      expect(server.transcript.slice(-2)).toEqual(['user: thank you', 'assistant: You are welcome.'])
      expect(warnings).toEqual([])
      await world.clock.elapse(3 * 60 * MINUTE)
      expect(server.sessions.length).toBe(5)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('[LK8] is avoided in a quiet moment, if there is one', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log } = await talk(world, {
        answers: [['Well,', ...slowly, ' goodbye.']],
      })
      await world.clock.elapse(57.5 * MINUTE)
      model.respond()
      await world.clock.elapse(0.9 * MINUTE)
      expect(server.sessions.length).toBe(1)
      await world.clock.elapse(0.2 * MINUTE)
      expect(server.sessions.length).toBe(2)
      expect(milestones(log)).toEqual(['answer, asked', 'completed'])
      expect(server.transcript).toEqual([expect.stringMatching(/^assistant: Well,.* goodbye\.$/)])
      await context.scope.close()
    }))

  it('[LK8] is avoided in time even without a quiet moment', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log } = await talk(world, {
        answers: [['Well,', ...slowly, ...slowly, ...slowly], 'Hello.'],
      })
      await world.clock.elapse(57.5 * MINUTE)
      model.respond()
      await world.clock.elapse(2.3 * MINUTE)
      expect(server.sessions.length).toBe(2)
      expect(milestones(log)).toEqual([
        'answer, asked',
        'failed: openai failed: the connection broke in the middle of an answer. Try again later, or configure a fallback',
      ])
      model.respond()
      await world.clock.elapse(2_000)
      expect(milestones(log).slice(2)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))

  it('[LK2] [LK8] that comes unannounced leads to a reconnect that carries the conversation over', () =>
    inVirtualTime(async (world) => {
      const { server, context, log } = await talk(world, { answers: ['Hello.', 'Bye.'] })
      server.hear('good morning')
      await world.clock.elapse(20_000)
      server.expire()
      await world.clock.elapse(100)
      expect(server.open.length).toBe(1)
      expect(server.transcript).toEqual(['user: good morning', 'assistant: Hello.'])
      server.hear('goodbye')
      await world.clock.elapse(2_000)
      expect(milestones(log).slice(-3)).toEqual(['answer', 'completed', 'final goodbye'])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('[LK2] leads to a reconnect when the service only sends session_expired', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world)
      await world.clock.elapse(20_000)
      server.fail('session_expired', 'Your session hit the maximum duration of 60 minutes.')
      await world.clock.elapse(1_000)
      expect(server.sessions.length).toBe(2)
      expect(server.open.length).toBe(1)
      await context.scope.close()
    }))

  it('[LK2] leads to a reconnect when the service only closes with 1001', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world)
      // Any message makes the connection count as healthy.
      server.fail()
      await world.clock.elapse(20_000)
      server.close(1001, 'Your session hit the maximum duration of 60 minutes.')
      await world.clock.elapse(100)
      expect(server.open.length).toBe(1)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('is ignored if it is so short that a clock must be wrong', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world, { lifetime: 10_000 })
      await world.clock.elapse(9_000)
      expect(server.sessions.length).toBe(1)
      await context.scope.close()
    }))

  it.each([1e300, 2 * 24 * 60 * MINUTE])('is ignored if it is implausibly long: %d ms', (lifetime) =>
    inVirtualTime(async (world) => {
      const { context } = await talk(world, { lifetime })
      const timers = world.clock.timers.list().map(({ name }) => name)
      expect(timers).not.toContain('end of a session')
      expect(timers).not.toContain("link 'openai': roll-over")
      await context.scope.close()
    }),
  )

  it('[LK8] does not undo an agent change during the move', () =>
    inVirtualTime(async (world) => {
      const { model, server, context } = await talk(world)
      server.manners.latency = 100
      await world.clock.elapse(58 * MINUTE + 50)
      expect(server.sessions.length).toBe(2)
      // The new connection is being set up for the first agent.
      model.update({ instructions: 'Do the bills.', tools: [] })
      await world.clock.elapse(1_000)
      expect(server.open.length).toBe(1)
      expect(server.open[0]?.settings).toMatchObject({ instructions: 'Do the bills.', tools: [] })
      await context.scope.close()
    }))
})
