import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { OLDER, PROMPT, billing, find, talk } from './fixture.ts'

describe('an agent change on an older model of Gemini', () => {
  it('[LK8] moves the conversation to a new connection, which does not count as a retry', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, said, context } = await talk(world, {
        options: OLDER,
        server: { answers: ['Hello. ', 'Billing here.'] },
      })
      model.respond()
      await world.clock.elapse(1_000)
      model.update(billing)
      model.respond()
      await world.clock.elapse(1_000)
      expect(server.sessions.map(({ setup }) => setup?.systemInstruction)).toEqual([
        { parts: [{ text: 'Be brief.' }] },
        { parts: [{ text: 'You do the bills.' }] },
      ])
      expect(sent(1)).toEqual(['setup handle_2', PROMPT])
      expect(said()).toBe('Hello. Billing here.')
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('[LK8] waits for the current answer, up to a limit', () =>
    inVirtualTime(async (world) => {
      const { model, server, log, said, context } = await talk(world, {
        options: OLDER,
        server: { answers: ['Good morning to you. ', ['Well ', { stall: true }], 'Billing here.'], speed: 1 },
      })
      model.respond()
      await world.clock.elapse(300)
      model.update(billing)
      model.respond()
      await world.clock.elapse(600)
      expect(server.sessions).toHaveLength(1)
      await world.clock.elapse(1_000)
      expect(server.sessions).toHaveLength(2)
      expect(log).toEqual(['answer-1 begins, asked', 'answer-1 completed', 'answer-2 begins, asked'])
      model.update({ ...billing, instructions: 'You do the taxes.' })
      model.respond()
      await world.clock.elapse(6_000)
      expect(server.sessions).toHaveLength(3)
      expect(said()).toBe('Good morning to you. Well Billing here.')
      expect(log.slice(-2)).toEqual(['answer-3 begins, asked', 'answer-3 completed'])
      await context.scope.close()
    }))

  it('carries over the tool call that caused it when there is no handle yet', () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, server, sent, context } = await talk(world, {
        options: OLDER,
        setup: { tools: [{ ...find, name: 'transfer' }] },
        server: { answers: [[callTool('transfer')], 'Billing here.'] },
      })
      says('billing please')
      quiet(600)
      await world.clock.elapse(100)
      model.toolResult('call-1', 'handed over to billing', false)
      model.update(billing)
      model.respond()
      await world.clock.elapse(2_000)
      expect(sent(0)).toEqual(['setup new'])
      expect(server.transcript).toEqual([
        'user: billing please',
        'model: transfer({})',
        'user: {"output":"handed over to billing"}',
        'user: .',
        'model: Billing here.',
      ])
      await context.scope.close()
    }))

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('takes effect %i ms after the previous one', (after) =>
    inVirtualTime(async (world) => {
      const { model, server, log, context } = await talk(world, {
        options: OLDER,
        server: { answers: ['Taxes here.'] },
      })
      model.update(billing)
      await world.clock.elapse(after)
      model.update({ ...billing, instructions: 'You do the taxes.' })
      model.respond()
      // A link rolls over once per second at most.
      await world.clock.elapse(3_000)
      expect(log).toEqual(['answer-1 begins, asked', 'answer-1 completed'])
      expect(server.open.map(({ setup }) => setup?.systemInstruction)).toEqual([
        { parts: [{ text: 'You do the taxes.' }] },
      ])
      await context.scope.close()
    }),
  )

  it('succeeds when the service refuses the new connection for a while', () =>
    inVirtualTime(async (world) => {
      const { model, server, log, context } = await talk(world, {
        options: OLDER,
        server: { answers: ['Billing here.'] },
      })
      server.manners.refuse = 503
      model.update(billing)
      model.respond()
      await world.clock.elapse(100)
      delete server.manners.refuse
      await world.clock.elapse(5_000)
      expect(log).toEqual(['answer-1 begins, asked', 'answer-1 completed'])
      await context.scope.close()
    }))
})

describe('an agent change on a model of Gemini that has contextUpdate', () => {
  it('happens on the same connection, in order with everything else', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, said, context } = await talk(world, {
        setup: { tools: [find] },
        server: { answers: ['Hello. ', 'Billing here.'] },
      })
      model.respond()
      await world.clock.elapse(1_000)
      model.update({ ...billing, tools: [{ ...find, name: 'bill' }] })
      model.respond()
      await world.clock.elapse(1_000)
      expect(sent()).toEqual(['setup new', PROMPT, 'contextUpdate', PROMPT])
      expect(server.open.map(({ setup }) => setup?.systemInstruction)).toEqual([
        { parts: [{ text: 'You do the bills.' }] },
      ])
      expect(JSON.stringify(server.open[0]?.setup?.tools)).toContain('"name":"bill"')
      expect(said()).toBe('Hello. Billing here.')
      model.update(billing)
      await world.clock.elapse(10)
      expect(server.open.map(({ setup }) => setup?.tools)).toEqual([[]])
      await context.scope.close()
      expect(server.sessions).toHaveLength(1)
    }))

  it('applies to the next connection if there is none', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, context } = await talk(world, { server: { answers: ['Billing here.'] } })
      server.drop()
      await world.clock.elapse(1)
      model.update(billing)
      model.respond()
      await world.clock.elapse(3_000)
      expect(sent(1)).toEqual(['setup new', PROMPT])
      expect(server.open.map(({ setup }) => setup?.systemInstruction)).toEqual([
        { parts: [{ text: 'You do the bills.' }] },
      ])
      await context.scope.close()
    }))
})
