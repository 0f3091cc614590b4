import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { PROMPT, find, talk } from './fixture.ts'

const withAudio = (data: unknown): string =>
  JSON.stringify({ serverContent: { modelTurn: { parts: [{ inlineData: { data } }] } } })

describe('a Gemini connection that breaks', () => {
  it('[LK2] is resumed by its handle: the running answer fails, and waiting requests are sent again', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, log, context } = await talk(world, {
        server: { answers: ['One.', ['Two', { stall: true }], 'Three.'] },
      })
      model.respond('One')
      await world.clock.elapse(1_000)
      model.respond('Two')
      await world.clock.elapse(1_000)
      model.respond('Three')
      server.drop()
      await world.clock.elapse(2_000)
      expect(log.slice(2)).toEqual([
        'answer-2 begins, asked',
        expect.stringContaining(
          'answer-2 failed: gemini failed: the connection broke in the middle of an answer',
        ),
        'answer-3 begins, asked',
        'answer-3 completed',
      ])
      expect(sent(1)).toEqual([
        'setup handle_2',
        'content user: [{"text":"Two"}], model: [{"text":"Two"}], answer',
        'content user: [{"text":"Three"}], answer',
      ])
      expect(server.transcript).toEqual([
        'user: One',
        'model: One.',
        'user: Two',
        'model: Two',
        'user: Three',
        'model: Three.',
      ])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
    }))

  it("[LK2] is resumed with the user's unanswered words, which are then answered", () =>
    inVirtualTime(async (world) => {
      const { says, server, sent, said, log, context } = await talk(world, {
        server: { answers: ['Until six.'] },
      })
      server.offerHandle()
      says('how long are you ')
      await world.clock.elapse(100)
      server.drop()
      await world.clock.elapse(2_000)
      // History is not answered.
      expect(sent(1)).toEqual([
        'setup handle_2',
        'content user: [{"text":"how long are you"}], answer',
        PROMPT,
      ])
      expect(said()).toBe('Until six.')
      expect(log.filter((line) => line.startsWith('final'))).toEqual(['final how long are you'])
      await context.scope.close()
    }))

  it('[LK2] leaves tool calls, which the next connection is told about together with their results', () =>
    inVirtualTime(async (world) => {
      const { model, server, log, context } = await talk(world, {
        setup: { tools: [find] },
        server: { answers: [[callTool('find', { day: 1 })], 'At nine.'] },
      })
      server.offerHandle()
      model.respond()
      await world.clock.elapse(100)
      server.drop()
      await world.clock.elapse(1_000)
      model.toolResult('call-1', 'nine', false)
      model.respond()
      await world.clock.elapse(2_000)
      expect(server.transcript).toEqual([
        'model: find({"day":1})',
        'user: {"output":"nine"}',
        'model: At nine.',
      ])
      expect(log.slice(-2)).toEqual(['answer-2 begins, asked', 'answer-2 completed'])
      await context.scope.close()
    }))

  it('[LK2] is resumed in the middle of a manual turn', () =>
    inVirtualTime(async (world) => {
      const { model, says, server, sent, context } = await talk(world, {
        setup: { takesTurns: false },
        server: { answers: ['Until six.'] },
      })
      server.offerHandle()
      says('how long ')
      await world.clock.elapse(10)
      server.drop()
      await world.clock.elapse(1_000)
      says('are you open')
      model.commit()
      model.respond()
      await world.clock.elapse(2_000)
      expect(sent(1)).toEqual([
        'setup handle_2',
        'content user: [{"text":"how long"}], answer',
        'activityStart',
        'activityEnd',
      ])
      expect(server.transcript).toEqual(['user: how long', 'user: are you open', 'model: Until six.'])
      await context.scope.close()
    }))

  it('[LK2] before its first handle is replaced by one that gets the conversation as text', () =>
    inVirtualTime(async (world) => {
      const { model, says, server, sent, said, log, context } = await talk(world, {
        server: { answers: [['Well', { stall: true }], 'Until six.'] },
      })
      model.respond()
      says('how long are you ')
      await world.clock.elapse(10)
      server.drop()
      await world.clock.elapse(5_000)
      expect(world.network.dials).toBe(2)
      expect(sent(1)[0]).toBe('setup new')
      expect(sent(1)[1]).toContain('how long are you')
      expect(said()).toContain('Until six.')
      expect(log.filter((line) => line.startsWith('failed'))).toEqual([])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
    }))

  it.each<[end: string, code: number, reason: string, dials: number, retries: number]>([
    ['has expired', 1011, 'Deadline expired before operation could complete.', 2, 0],
    ['was dropped', 1011, 'Internal error encountered.', 2, 1],
    ['was dropped', 1000, '', 2, 1],
    ['was refused for now', 1011, 'You exceeded your current quota, please check your plan.', 2, 1],
    ['has failed for good', 1007, 'Request contains an invalid argument.', 1, 0],
    ['has failed for good', 1008, 'models/x is not found', 1, 0],
  ])('[LK2] %s when it closes with %i %s', (_, code, reason, dials, retries) =>
    inVirtualTime(async (world) => {
      const { server, log, context } = await talk(world)
      server.offerHandle()
      await world.clock.elapse(20_000)
      server.close(code, reason)
      await world.clock.elapse(5_000)
      expect(world.network.dials).toBe(dials)
      expect(log.filter((line) => line.startsWith('failed'))).toHaveLength(dials === 1 ? 1 : 0)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ retries }])
    }),
  )

  it('fails when the service no longer knows its handle', () =>
    inVirtualTime(async (world) => {
      const { server, log, context } = await talk(world)
      server.offerHandle()
      await world.clock.elapse(10)
      server.forgetHandles()
      server.drop()
      await world.clock.elapse(5_000)
      expect(log).toEqual([expect.stringContaining('closed with 1008')])
      await context.scope.close()
    }))

  it.each<[what: string, message: string]>([
    ['a message that is not JSON', '{ this is no JSON'],
    ['a message that is not an object', 'null'],
    ['audio that is not a string', withAudio({ length: 4 })],
    ['audio that is too long', withAudio('A'.repeat(4 * 1024 * 1024 + 4))],
    [
      'text that is not a string',
      JSON.stringify({ serverContent: { inputTranscription: { text: { toString: 1 } } } }),
    ],
    ['calls that are not a list', JSON.stringify({ toolCall: { functionCalls: { length: 1 } } })],
  ])('[PR1] is replaced when it receives %s', (_, message) =>
    inVirtualTime(async (world) => {
      const { server, log, heard, context } = await talk(world)
      server.offerHandle()
      await world.clock.elapse(10)
      server.open[0]!.connection.send(message)
      await world.clock.elapse(2_000)
      expect(server.open).toHaveLength(1)
      expect(server.sessions).toHaveLength(2)
      expect([log, heard()]).toEqual([[], ''])
      await context.scope.close()
    }),
  )
})
