import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { milestones, refusal, talk, typesOf } from './fixture.ts'

describe('a response request to OpenAI', () => {
  it('is sent again if it was refused because the model had started to answer on its own', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log, sent } = await talk(world, {
        answers: ['By myself.', 'As you asked.'],
      })
      // The service starts an answer on its own, and the request is sent before that is known here.
      server.hear('hello')
      model.respond()
      await world.clock.elapse(5_000)
      expect(milestones(log)).toEqual([
        'user starts',
        'user stops',
        'answer',
        'final hello',
        'completed',
        'answer, asked',
        'completed',
      ])
      expect(log.filter((line) => line.startsWith('text')).join('')).toBe(
        'text By text myself.text As text you text asked.',
      )
      expect(typesOf(sent())).toEqual(['session.update', 'response.create', 'response.create'])
      await context.scope.close()
    }))

  it('is sent again after a delay if no answer seems to be active, up to a limit', () =>
    inVirtualTime(async (world) => {
      const { model, context, log, warnings } = await talk(world, {
        answers: ['Hello.'],
        intercept: ({ type, event_id }, peer) => {
          if (type !== 'response.create' || event_id !== 'request-1') return false
          peer.send(refusal('conversation_already_has_active_response'))
          return true
        },
      })
      model.respond()
      model.respond()
      await world.clock.elapse(5_000)
      expect(milestones(log)).toEqual([
        'answer, asked',
        'failed: openai failed: Not so: conversation_already_has_active_response.',
        'answer, asked',
        'completed',
      ])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('fails if the service refuses it, and the next one is sent', () =>
    inVirtualTime(async (world) => {
      const { model, context, log } = await talk(world, {
        answers: ['Hello.'],
        intercept: ({ event_id }, peer) => {
          if (event_id === 'request-1') peer.send(refusal('invalid_value', 'request-1'))
          return event_id === 'request-1'
        },
      })
      model.respond()
      model.respond()
      await world.clock.elapse(2_000)
      expect(milestones(log)).toEqual([
        'answer, asked',
        'failed: openai failed: Not so: invalid_value.',
        'answer, asked',
        'completed',
      ])
      await context.scope.close()
    }))

  it('fails if the service does not answer it in time', () =>
    inVirtualTime(async (world) => {
      const { model, context, log, sent } = await talk(world, {
        answers: ['Hello.'],
        intercept: ({ event_id }, peer) => {
          // Some event, so that the connection does not count as dead.
          if (event_id === 'request-1') peer.send(JSON.stringify({ type: 'rate_limits.updated' }))
          return event_id === 'request-1'
        },
      })
      model.respond()
      model.respond()
      await world.clock.elapse(12_000)
      expect(milestones(log)).toEqual([
        'answer, asked',
        'failed: openai failed: it did not answer within 10000 ms',
        'answer, asked',
        'completed',
      ])
      expect(typesOf(sent()).filter((type) => type === 'response.create')).toHaveLength(1)
      await context.scope.close()
    }))

  it('that is unknown here has its answer cancelled', () =>
    inVirtualTime(async (world) => {
      const { server, context, log, sent } = await talk(world)
      const { connection } = server.open[0]!
      const response = { id: 'late', metadata: { request: 'request-0' } }
      connection.send(JSON.stringify({ type: 'response.created', response }))
      await world.clock.elapse(10)
      expect(sent().at(-1)).toMatchObject({ type: 'response.cancel', response_id: 'late' })
      expect(log).toEqual([])
      await context.scope.close()
    }))

  it('is sent after a limit although the cancelled answer before it goes on', () =>
    inVirtualTime(async (world) => {
      const { model, context, log, answers } = await talk(world, {
        answers: [[{ stall: true }], 'Hello.'],
        intercept: ({ type }, peer) => {
          if (type === 'response.cancel') peer.send(JSON.stringify({ type: 'rate_limits.updated' }))
          return type === 'response.cancel'
        },
      })
      model.respond()
      await world.clock.elapse(100)
      model.interrupt(answers[0]!, 0)
      model.respond()
      await world.clock.elapse(10_000)
      // The service never stops the first answer, so the second request fails.
      expect(milestones(log)).toEqual([
        'answer, asked',
        'cancelled',
        'answer, asked',
        expect.stringMatching(/^failed: .*active response/),
      ])
      await context.scope.close()
    }))

  it('[SC18] beyond the limit of the queue fails in its turn', () =>
    inVirtualTime(async (world) => {
      const { model, context, log, answers } = await talk(world, { answers: () => 'Yes.', speed: Infinity })
      for (let i = 0; i < 35; i++) model.respond()
      expect(log).toEqual([])
      await world.clock.elapse(2_000)
      expect(milestones(log).filter((line) => line.startsWith('failed'))).toHaveLength(2)
      expect(milestones(log).at(-1)).toBe('failed: openai failed: too many answers were requested at once')
      expect(answers).toHaveLength(35)
      await context.scope.close()
    }))

  it('is not affected by an unrelated error, which is logged without keys', () =>
    inVirtualTime(async (world) => {
      const { server, context, warnings, log } = await talk(world)
      server.fail('server_error', 'We had trouble with sk-abcdefghijkl.')
      await world.clock.elapse(10)
      expect(warnings).toMatchObject([{ fields: { code: 'server_error' } }])
      expect(inspect(warnings)).not.toContain('abcdefghijkl')
      expect(log).toEqual([])
      await context.scope.close()
    }))
})
