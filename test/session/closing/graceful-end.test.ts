import { describe, expect, it } from 'vitest'
import { SessionEndingError, tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, expectEnded, never, said } from '../fixture.ts'
import { aCallWithTool, fullConversation } from './call-with-tool.ts'

describe('a graceful end', () => {
  it('[CL3] lets the turn in flight finish, including its tools and the spoken answer', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 3_000)
      const report = await call.session.drain({ reason: 'host-draining', by: 'host' })
      expect(said(call.session)).toEqual(fullConversation)
      expect(call.line.heardText).toContain('It is free.')
      expect(report).toMatchObject({
        reason: 'host-draining',
        by: 'host',
        alsoAsked: [],
        took: 0,
        clean: true,
      })
      expectEnded(call)
    }))

  it('[CL3] rejects new work', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 1_000)
      const { session } = call
      const drained = session.drain()
      expect(session.state).toBe('ending')
      expect(session.say('More').outcome?.error).toBeInstanceOf(SessionEndingError)
      expect(session.reply().outcome?.error).toBeInstanceOf(SessionEndingError)
      await expect(session.hangUp()).rejects.toThrow(SessionEndingError)
      call.caller.types('And Tuesday?')
      await drained
      expect(said(session)).toEqual(fullConversation)
      expectEnded(call)
    }))

  it('[CL3] waits for a tool within its own timeout, however long that is', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 50_000, { stallTimeout: 2_000 })
      await call.session.drain()
      expect(said(call.session)).toEqual(fullConversation)
      expect(world.clock.now()).toBeGreaterThan(50_000)
      expectEnded(call)
    }))

  it('[CL3] does not wait for a tool beyond its timeout', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 600_000, {
        timeout: 5_000,
        answers: [[callTool('look')], 'Sorry.'],
      })
      await call.session.drain()
      expect(said(call.session)).toEqual([
        'user: Is Monday free?',
        "look → 'look' took longer than 5000 ms",
        'agent: Sorry.',
      ])
      expectEnded(call)
    }))

  it('[CL3] does not clip a long answer: it is bounded by progress, not by length', () =>
    inVirtualTime(async (world) => {
      const words = 'All work and no play makes Jack a dull boy. '.repeat(40)
      const call = aCall(world, { answers: [words], stallTimeout: 1_000, tts: { speed: 2 } })
      await call.session.start()
      call.caller.types('Tell me a story.')
      await world.clock.elapse(100)
      await call.session.drain()
      expect(world.clock.now()).toBeGreaterThan(80_000)
      expect(call.line.heardText).toBe(words)
      expectEnded(call)
    }))

  it.each([
    ['a model that stalls', { answers: [['Hm. ', { stall: true as const }]] }],
    ['a voice that stalls', { answers: ['Let me think.'], tts: { stallAfter: 200 } }],
    [
      'a line that never confirms',
      { answers: ['Hm.', 'More.'], line: { confirms: false }, playoutTimeout: 60_000 },
    ],
  ])('[CL3] waits for %s no longer than stallTimeout', (_, options) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stallTimeout: 3_000, ...options })
      await call.session.start()
      call.caller.types('Hello?')
      await world.clock.elapse(100)
      const report = await call.session.drain({ reason: 'host-draining' })
      expect(world.clock.now()).toBeGreaterThanOrEqual(3_000)
      expect(world.clock.now()).toBeLessThan(5_000)
      expect(report).toMatchObject({
        reason: 'host-draining',
        alsoAsked: [{ reason: 'host-draining', by: 'stallTimeout', at: 0 }],
      })
      expectEnded(call)
    }),
  )

  it('[CL3] waits for a missing approval no longer than stallTimeout', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {
        answers: [[callTool('pay')], 'Paid.'],
        agent: { tools: { pay: tool({ description: 'Pays', approval: true, run: () => 'paid' }) } },
      })
      await call.session.start()
      call.caller.types('Pay it.')
      await world.clock.elapse(100)
      await call.session.drain()
      expect(world.clock.now()).toBe(10_100)
      expect(said(call.session)[1]).toMatch(/^pay → .*(closing|cancelled|closed)/)
      expectEnded(call)
    }))

  it('[CL3] takes no longer than endTimeout, whatever makes progress', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 50_000, { endTimeout: 4_000 })
      const report = await call.session.drain()
      expect(world.clock.now()).toBe(4_100)
      expect(report.alsoAsked).toMatchObject([{ by: 'endTimeout' }])
      expectEnded(call)
    }))

  it('[CL3] is ended at once by close()', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 50_000)
      const drained = call.session.drain({ reason: 'host-draining' })
      await world.clock.elapse(1_000)
      const report = await call.session.close()
      expect(world.clock.now()).toBeLessThan(2_500)
      expect(await drained).toBe(report)
      expect(report).toMatchObject({ reason: 'host-draining', alsoAsked: [{ reason: 'requested' }] })
      expectEnded(call)
    }))

  it('[CL3] that is ended by close() does not wait for a tool that ignores its signal', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {
        answers: [[callTool('look')]],
        agent: { tools: { look: tool({ description: 'Looks', timeout: 60_000, run: never }) } },
      })
      await call.session.start()
      call.caller.types('Look.')
      await world.clock.elapse(100)
      call.session.drain().catch(() => {})
      await world.clock.elapse(100)
      await call.session.close()
      expect(expectEnded(call).took).toBeLessThanOrEqual(5_000)
    }))

  it('[CL3] is a plain close in every state but live', () =>
    inVirtualTime(async (world) => {
      const fresh = aCall(world)
      await fresh.session.drain()
      expectEnded(fresh)
      const starting = aCall(world, { llm: { openHangs: true } })
      const start = starting.session.start()
      await starting.session.drain()
      await expect(start).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
      expectEnded(starting)
      expect(await starting.session.drain()).toBe(starting.reports[0])
      const closing = aCall(world, { stt: { closeTakes: 500 } })
      await closing.session.start()
      const closed = closing.session.close()
      expect(await closing.session.drain()).toBe(await closed)
      expect(expectEnded(closing).alsoAsked).toEqual([])
    }))

  it('[CL3] [CL6] that is ended by close() waits for last words within the closeTimeout of that call', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 50_000, { stt: { finalAfter: 'never', closeTakes: 100 } })
      call.session.drain().catch(() => {})
      call.caller.says('and also').catch(() => {})
      await world.clock.elapse(200)
      const report = await call.session.close({ closeTimeout: 400 })
      expect(report).toMatchObject({ took: 280, clean: true })
      expectEnded(call)
    }))

  it('[CL3] can be requested twice, and ends once', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 1_000)
      const [one, two] = await Promise.all([
        call.session.drain({ by: 'one' }),
        call.session.drain({ by: 'two' }),
      ])
      expect(one).toBe(two)
      expect(said(call.session)).toEqual(fullConversation)
      expect(one.by).toBe('one')
      expectEnded(call)
    }))

  it('[CL3] can be ended by close() in a listener of its state event', () =>
    inVirtualTime(async (world) => {
      for (const end of ['drain', 'hangUp'] as const) {
        const call = await aCallWithTool(world, 1_000, { endTimeout: 60_000 })
        call.session.on('state', ({ state }) => {
          if (state === 'ending') call.session.close().catch(() => {})
        })
        await call.session[end]()
        await call.session.afterCall
        expectEnded(call)
      }
    }))

  it('[CL3] ends even if the clock jumps ahead', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { answers: [[{ stall: true }]] })
      await call.session.start()
      call.caller.types('Hello?')
      await world.clock.elapse(100)
      const drained = call.session.drain()
      world.clock.jump(86_400_000)
      await drained
      expectEnded(call)
    }))
})
