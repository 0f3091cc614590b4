import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { PROMPT, talk } from './fixture.ts'

describe('a Gemini answer', () => {
  it('is requested with its own instructions, after the text that was added before', () =>
    inVirtualTime(async (world) => {
      const { model, sent, server, context } = await talk(world, { server: { answers: ['Hello.', 'Bye.'] } })
      model.addText('It is me.')
      model.respond('Greet the caller.')
      model.addText('I have to go.')
      await world.clock.elapse(2_000)
      model.respond()
      await world.clock.elapse(2_000)
      expect(sent()).toEqual([
        'setup new',
        'content user: [{"text":"It is me."}], user: [{"text":"Greet the caller."}], answer',
        'content user: [{"text":"I have to go."}], wait',
        PROMPT,
      ])
      expect(server.transcript).toEqual([
        'user: It is me.',
        'user: Greet the caller.',
        'model: Hello.',
        'user: I have to go.',
        'user: .',
        'model: Bye.',
      ])
      await context.scope.close()
    }))

  it('is interrupted by the next request, which is never empty', () =>
    inVirtualTime(async (world) => {
      const { model, log, heard, sent, server, context } = await talk(world, {
        server: { answers: ['Good morning to you.', 'Sorry.'], speed: 1 },
      })
      model.respond()
      await world.clock.elapse(300)
      model.interrupt('answer-1', 250)
      model.respond()
      expect(log.at(-1)).toBe('answer-1 cancelled')
      const before = heard()
      await world.clock.elapse(2_000)
      expect(heard()).toBe(`${before}Sorry.`)
      expect(sent().slice(2)).toEqual([PROMPT])
      expect(log).toEqual([
        'answer-1 begins, asked',
        'answer-1 cancelled',
        'answer-2 begins, asked',
        'answer-2 completed',
      ])
      // The model remembers everything it sent, not only what was heard.
      expect(server.transcript[1]).toMatch(/^model: Good m/)
      await context.scope.close()
    }))

  it('can be interrupted while the service assumes that it is still playing, but not later', () =>
    inVirtualTime(async (world) => {
      const { model, log, sent, context } = await talk(world, {
        server: { answers: ['Good morning to you and yours.', 'Yes?'], speed: Infinity },
      })
      model.respond()
      await world.clock.elapse(100)
      expect(log).toEqual(['answer-1 begins, asked', 'answer-1 completed'])
      model.interrupt('answer-1', 100)
      model.respond()
      await world.clock.elapse(100)
      expect(log.slice(2)).toEqual(['answer-2 begins, asked', 'answer-2 completed'])
      await world.clock.elapse(2_000)
      model.interrupt('answer-2', 100)
      await world.clock.elapse(100)
      expect(sent().slice(1)).toEqual([PROMPT, PROMPT])
      await context.scope.close()
    }))

  it('fails when the service reports a failure, and completes when it is merely empty', () =>
    inVirtualTime(async (world) => {
      const { model, log, server, context } = await talk(world, {
        server: { answers: [[], [{ stall: true }]] },
      })
      model.respond()
      await world.clock.elapse(100)
      expect(log).toEqual(['answer-1 begins, asked', 'answer-1 completed'])
      model.respond()
      await world.clock.elapse(100)
      server.open[0]!.connection.send(
        JSON.stringify({ serverContent: { turnComplete: true, turnCompleteReason: 'RESPONSE_REJECTED' } }),
      )
      await world.clock.elapse(10)
      expect(log.slice(2)).toEqual([
        'answer-2 begins, asked',
        'answer-2 failed: gemini failed: it gave no answer (RESPONSE_REJECTED)',
      ])
      await context.scope.close()
    }))

  it('fails after stallTimeout, whether or not it has started', () =>
    inVirtualTime(async (world) => {
      const { model, log, context } = await talk(world, {
        options: { stallTimeout: 5_000 },
        server: { answers: [[{ stall: true }], ['Well', { stall: true }]] },
      })
      model.respond()
      await world.clock.elapse(5_010)
      model.respond()
      await world.clock.elapse(6_000)
      expect(log).toEqual([
        'answer-1 begins, asked',
        expect.stringContaining("answer-1 failed: the answer of 'gemini' took longer than 5000 ms"),
        'answer-2 begins, asked',
        expect.stringContaining('answer-2 failed'),
      ])
      await context.scope.close()
    }))

  it('has its tokens counted', () =>
    inVirtualTime(async (world) => {
      const { model, used, server, context } = await talk(world, { server: { answers: ['Good morning.'] } })
      model.respond()
      await world.clock.elapse(2_000)
      expect(used).toEqual([{ inputTokens: 10, outputTokens: 17 }])
      const usageMetadata = {
        promptTokenCount: 7,
        toolUsePromptTokenCount: 1,
        cachedContentTokenCount: 5,
        responseTokenCount: 3,
        thoughtsTokenCount: 2,
      }
      server.open[0]!.connection.send(JSON.stringify({ usageMetadata }))
      await world.clock.elapse(10)
      expect(used.at(-1)).toEqual({ inputTokens: 8, outputTokens: 5, cachedTokens: 5 })
      await context.scope.close()
    }))
})
