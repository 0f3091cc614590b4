import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { History, tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { said } from '../fixture.ts'
import { aCallWithTools } from './tool-fixture.ts'

describe('the approval of a tool call', () => {
  const pay = tool({
    description: 'Pay',
    input: z.object({ amount: z.number() }),
    timeout: 1_000,
    approval: ({ amount }) => amount > 10,
    run: ({ amount }) => `paid ${amount}`,
  })

  it('[TL8] [TL10] leaves a result that says whether the call was refused or cancelled', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aCallWithTools(world, { pay }, [
        [callTool('pay', { amount: 50 }), callTool('pay', { amount: 500 }), callTool('pay', { amount: 'x' })],
      ])
      const stops: unknown[] = []
      session.on('tool-done', ({ outcome }) => stops.push(outcome.stopped))
      session.on('approval', ({ id, input }) => {
        if ((input as { amount: number }).amount === 50) session.approve(id, false)
      })
      session.reply()
      await clock.elapse(100)
      await session.close()
      const results = session.history.items.flatMap((item) => (item.type === 'tool' ? [item.result] : []))
      expect(results.map((result) => [result?.failed, result?.stopped])).toEqual([
        [true, 'refused'],
        [true, 'cancelled'],
        [true, undefined],
      ])
      expect(new Set(stops)).toEqual(new Set(['cancelled', 'refused', undefined]))
      expect(History.from(session.history.toJSON()).items).toEqual(session.history.items)
    }))

  it("[TL8] is awaited before the tool runs, without using up the tool's timeout", () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aCallWithTools(world, { pay }, [
        [callTool('pay', { amount: 5 }), callTool('pay', { amount: 50 }), callTool('pay', { amount: 500 })],
        'Done.',
      ])
      const wanted: { id: string; input: unknown }[] = []
      session.on('approval', (event) => wanted.push(event))
      const reply = session.reply()
      await clock.elapse(5_000)
      expect(wanted.map(({ input }) => input)).toEqual([{ amount: 50 }, { amount: 500 }])
      expect(session.approve(wanted[0]!.id, true)).toBe(true)
      expect(session.approve(wanted[0]!.id, true)).toBe(false)
      expect(session.approve(wanted[1]!.id, false)).toBe(true)
      expect(session.approve('unknown', true)).toBe(false)
      await reply.waitForPlayout()
      expect(said(session)).toEqual([
        'pay → paid 5',
        'pay → paid 50',
        "pay → the call of 'pay' was not approved",
        'agent: Done.',
      ])
      await session.close()
    }))

  it('[TL8] can be given inside the event listener', () =>
    inVirtualTime(async (world) => {
      const { session } = await aCallWithTools(world, { pay }, [[callTool('pay', { amount: 50 })], 'Done.'])
      session.on('approval', ({ id }) => session.approve(id, true))
      await session.reply().waitForPlayout()
      expect(said(session)[0]).toBe('pay → paid 50')
      await session.close()
    }))

  it('[TL8] is cancelled at once by a close, and the tool never runs', () =>
    inVirtualTime(async (world) => {
      let ran = false
      const shielded = tool({
        description: 'Pay',
        approval: true,
        finishWithin: 3_000,
        run: () => {
          ran = true
        },
      })
      const { session, clock } = await aCallWithTools(world, { pay: shielded }, [[callTool('pay')]])
      let id = ''
      session.on('approval', (event) => (id = event.id))
      session.reply()
      await clock.elapse(100)
      const report = await session.close()
      expect([report.took, report.clean, ran]).toEqual([0, true, false])
      expect(report.transcript).toMatchObject([{ result: { output: "'pay' was cancelled" } }])
      expect(session.approve(id, true)).toBe(false)
    }))

  it('[TL8] does not delay a drain for longer than stallTimeout', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aCallWithTools(world, { pay }, [[callTool('pay', { amount: 50 })]], {
        stallTimeout: 2_000,
      })
      session.reply()
      await clock.elapse(100)
      await session.drain()
      expect(clock.now()).toBe(2_100)
    }))
})
