import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { find, talk } from './fixture.ts'

describe('Gemini tool calls', () => {
  const setup = { tools: [find] }

  it('end their answer, and their results are sent together with the next request', () =>
    inVirtualTime(async (world) => {
      const { model, log, sent, said, context } = await talk(world, {
        setup,
        server: {
          answers: [
            ['One moment. ', callTool('find', { day: 1 }), { wait: 10 }, callTool('find')],
            'At nine.',
          ],
        },
      })
      model.respond()
      await world.clock.elapse(1_000)
      expect(log).toEqual([
        'answer-1 begins, asked',
        'answer-1 calls call-1 find {"day":1}',
        'answer-1 calls call-2 find {}',
        'answer-1 completed',
      ])
      model.toolResult('call-2', 'ten', true)
      await world.clock.elapse(100)
      model.toolResult('call-1', 'nine', false)
      model.toolResult('call-1', 'twice', false)
      await world.clock.elapse(100)
      expect(sent().slice(2)).toEqual([])
      model.respond()
      await world.clock.elapse(2_000)
      expect(sent().slice(2)).toEqual(['result call-1 {"output":"nine"}', 'result call-2 {"error":"ten"}'])
      expect(log.slice(4)).toEqual(['answer-2 begins, asked', 'answer-2 completed'])
      expect(said()).toBe('One moment. At nine.')
      await context.scope.close()
    }))

  it('are cancelled when the model cancels them, and results from before are sent later', () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, log, server, context } = await talk(world, {
        setup,
        server: { answers: [[callTool('find'), callTool('find')], 'Yes?'] },
      })
      model.respond()
      await world.clock.elapse(100)
      model.toolResult('call-1', 'nine', false)
      says('stop')
      quiet(600)
      await world.clock.elapse(3_000)
      expect(log.slice(4)).toEqual([
        'call-2 cancelled',
        'user started',
        'interim stop',
        'user stopped',
        'final stop',
        'answer-2 begins',
        'answer-2 completed',
      ])
      model.toolResult('call-2', 'too late', false)
      await world.clock.elapse(100)
      expect(server.transcript.slice(-3)).toEqual([
        'model: Yes?',
        'model: find({})',
        'user: {"output":"nine"}',
      ])
      await context.scope.close()
    }))

  it('are not interrupted when the words before them are', () =>
    inVirtualTime(async (world) => {
      const { model, log, sent, context } = await talk(world, {
        setup,
        server: { answers: [['Wait. ', callTool('find')], 'At nine.'] },
      })
      model.respond()
      await world.clock.elapse(1_000)
      model.interrupt('answer-1', 100)
      model.toolResult('call-1', 'nine', false)
      model.respond()
      await world.clock.elapse(2_000)
      expect(sent().slice(2)).toEqual(['result call-1 {"output":"nine"}'])
      expect(log.at(-1)).toBe('answer-2 completed')
      await context.scope.close()
    }))

  it('delay other requests, which are then sent together with the results', () =>
    inVirtualTime(async (world) => {
      const { model, log, said, sent, context } = await talk(world, {
        setup,
        server: { answers: [[callTool('find')], 'One moment. ', 'At nine.'] },
      })
      model.respond()
      await world.clock.elapse(100)
      model.respond('Say: One moment.')
      await world.clock.elapse(1_000)
      expect(sent()).toHaveLength(2)
      model.toolResult('call-1', 'nine', false)
      model.respond()
      await world.clock.elapse(4_000)
      expect(said()).toBe('One moment. At nine.')
      expect(log.slice(3)).toEqual([
        'answer-2 begins, asked',
        'answer-2 completed',
        'answer-3 begins, asked',
        'answer-3 completed',
      ])
      await context.scope.close()
    }))
})

describe('tool calls of a Gemini model with extended thinking', () => {
  const options = { model: 'gemini-3.8-live-extended-thinking' }

  it('do not block the model, and their results are answered when it is idle', () =>
    inVirtualTime(async (world) => {
      const { model, log, server, said, context } = await talk(world, {
        options,
        setup: { tools: [find] },
        server: { answers: [['One moment. ', callTool('find')], 'At nine.'] },
      })
      expect(JSON.stringify(server.open[0]?.setup?.tools)).toContain('"behavior":"NON_BLOCKING"')
      model.respond()
      await world.clock.elapse(2_000)
      expect(log.at(-1)).toBe('answer-1 completed')
      model.toolResult('call-1', 'nine', false)
      model.respond()
      await world.clock.elapse(2_000)
      const [response] = server.open[0]!.received.flatMap(
        ({ toolResponse }) => toolResponse?.functionResponses ?? [],
      )
      expect(response).toMatchObject({ id: 'call-1', scheduling: 'WHEN_IDLE' })
      expect(log.slice(-2)).toEqual(['answer-2 begins, asked', 'answer-2 completed'])
      expect(said()).toBe('One moment. At nine.')
      await context.scope.close()
    }))

  it('leave the caller an answer while they run', () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, said, context } = await talk(world, {
        options,
        setup: { tools: [find] },
        server: { answers: [[callTool('find')], 'Still looking. ', 'At nine.'] },
      })
      model.respond()
      await world.clock.elapse(1_000)
      says('are you there ')
      quiet(600)
      await world.clock.elapse(2_000)
      expect(said()).toBe('Still looking. ')
      model.toolResult('call-1', 'nine', false)
      model.respond()
      await world.clock.elapse(2_000)
      expect(said()).toBe('Still looking. At nine.')
      await context.scope.close()
    }))
})
