import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { tool } from '../../../src/session/index.ts'
import { aRealtimeCall, says } from '../answering/realtime-fixture.ts'

describe('a realtime model', () => {
  it('[FA1] that does not answer a request fails after answerTimeout', () =>
    inVirtualTime(async (world) => {
      const { session, log } = aRealtimeCall(world, {
        realtime: { answers: [[{ stall: true }], 'Hello.'] },
        apology: { again: '' },
      })
      await session.start()
      const { how, error } = await session.reply().finished
      expect({ how, at: world.clock.now() }).toEqual({ how: 'failed', at: 10_000 })
      expect(error).toMatchObject({ code: 'ANSWER_TIMEOUT' })
      await session.reply().waitForPlayout()
      expect(log).toEqual(['error: realtime', 'agent played: Hello.'])
      await session.close()
    }))

  it('[FA1] that takes a turn and never answers it has failed', () =>
    inVirtualTime(async (world) => {
      const { session, caller, log } = aRealtimeCall(world, {
        realtime: { answers: () => [{ stall: true }] },
        apology: { again: '' },
      })
      await session.start()
      says(caller, 'Hello?')
      await world.clock.elapse(15_000)
      expect(log).toContain('error: realtime')
      await session.close()
    }))

  it('[FA1] that stops in the middle of an answer has failed', () =>
    inVirtualTime(async (world) => {
      const { session } = aRealtimeCall(world, {
        realtime: { answers: [['Let me ', { stall: true }]] },
        apology: { again: '' },
      })
      await session.start()
      expect(await session.reply().finished).toMatchObject({
        how: 'failed',
        error: { code: 'ANSWER_TIMEOUT' },
      })
      await session.close()
    }))

  it('[FA1] is not expected to speak while a tool runs', () =>
    inVirtualTime(async (world) => {
      const slow = tool({
        description: 'Slow',
        timeout: 60_000,
        run: () => world.clock.elapse(30_000).then(() => 'done'),
      })
      const { session, log } = aRealtimeCall(world, {
        agent: { tools: { slow } },
        realtime: { answers: [[callTool('slow')], 'There.'] },
      })
      await session.start()
      await session.reply().waitForPlayout()
      expect(log).toEqual(['slow: done', 'agent played: There.'])
      await session.close()
    }))

  it('[FA2] that never answers ends the session', () =>
    inVirtualTime(async (world) => {
      const { session, caller } = aRealtimeCall(world, { realtime: { answers: () => [{ stall: true }] } })
      await session.start()
      says(caller, 'Hello?')
      await world.clock.elapse(30_000)
      says(caller, 'Hello?')
      await world.clock.elapse(30_000)
      says(caller, 'Hello?')
      expect(await session.closed).toMatchObject({ reason: 'error', error: { code: 'ANSWER_TIMEOUT' } })
      expect(world.clock.now()).toBeLessThan(120_000)
    }))

  it('[TL6] gets at most 64 tool calls of one answer run', () =>
    inVirtualTime(async (world) => {
      let runs = 0
      const look = tool({ description: 'Look', run: () => void runs++ })
      const calls = Array.from({ length: 500 }, (_, index) => callTool('look', { index }))
      const { session } = aRealtimeCall(world, {
        agent: { tools: { look } },
        realtime: { answers: [calls, 'Done.'] },
      })
      await session.start()
      await session.reply().waitForPlayout()
      expect(runs).toBe(64)
      await session.close()
    }))
})
