import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { talk } from './fixture.ts'

describe('the user of a Gemini conversation', () => {
  it('is transcribed in growing pieces and has finished when the model starts to answer', () =>
    inVirtualTime(async (world) => {
      const { says, quiet, log, said, heard, context } = await talk(world, {
        server: { answers: ['Good morning.'] },
      })
      says('hello there')
      quiet(600)
      await world.clock.elapse(2_000)
      expect(log).toEqual([
        'user started',
        'interim hello ',
        'interim hello there',
        'user stopped',
        'final hello there',
        'answer-1 begins',
        'answer-1 completed',
      ])
      expect(said()).toBe('Good morning.')
      expect(heard()).toBe('Good morning.')
      await context.scope.close()
    }))

  it('interrupts an answer by speaking, and gets the next one', () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, log, heard, context } = await talk(world, {
        server: { answers: ['Good morning to you and yours.', 'Yes?'], speed: 1 },
      })
      model.respond()
      await world.clock.elapse(500)
      says('stop')
      await world.clock.elapse(10)
      const before = heard()
      expect(log).toEqual(['answer-1 begins, asked', 'answer-1 cancelled', 'user started'])
      quiet(600)
      await world.clock.elapse(2_000)
      expect(heard()).toBe(`${before}Yes?`)
      expect(log.slice(3)).toEqual([
        'interim stop',
        'user stopped',
        'final stop',
        'answer-2 begins',
        'answer-2 completed',
      ])
      await context.scope.close()
    }))

  it('does not start to speak when the whole transcript arrives during the answer', () =>
    inVirtualTime(async (world) => {
      const { log, serverSends, context } = await talk(world)
      const modelTurn = { role: 'model' as const, parts: [{ inlineData: { data: 'AAAA', mimeType: '' } }] }
      serverSends(
        { serverContent: { modelTurn } },
        { serverContent: { inputTranscription: { text: ' So late' } } },
      )
      serverSends({ serverContent: { generationComplete: true } }, { serverContent: { turnComplete: true } })
      await world.clock.elapse(50)
      expect(log).toEqual([
        'user started',
        'user stopped',
        'answer-1 begins',
        'answer-1 completed',
        'final So late',
      ])
      await context.scope.close()
    }))

  it('does not interrupt an answer when the end of the question is transcribed late', () =>
    inVirtualTime(async (world) => {
      const { log, serverSends, context } = await talk(world)
      const modelTurn = { role: 'model' as const, parts: [{ inlineData: { data: 'AAAA', mimeType: '' } }] }
      const words = (text: string): object => ({ serverContent: { inputTranscription: { text } } })
      serverSends(words('How long'), { serverContent: { modelTurn } }, words(' are you open?'))
      await world.clock.elapse(10)
      expect(log).toEqual([
        'user started',
        'interim How long',
        'user stopped',
        'final How long',
        'answer-1 begins',
      ])
      serverSends({ serverContent: { turnComplete: true } })
      await world.clock.elapse(10)
      expect(log.slice(5)).toEqual(['answer-1 completed', 'final are you open?'])
      await context.scope.close()
    }))

  it('has stopped after 3 s without a transcript or an answer', () =>
    inVirtualTime(async (world) => {
      const { log, serverSends, context } = await talk(world)
      serverSends({ serverContent: { inputTranscription: { text: 'Mhm.' } } })
      await world.clock.elapse(2_900)
      expect(log).toEqual(['user started', 'interim Mhm.'])
      await world.clock.elapse(200)
      expect(log.slice(2)).toEqual(['user stopped', 'final Mhm.'])
      await context.scope.close()
    }))

  it('starts and stops with voiceActivity messages, where the service sends them', () =>
    inVirtualTime(async (world) => {
      const { log, server, context } = await talk(world)
      const voice = (voiceActivityType: string): void =>
        server.open[0]!.connection.send(JSON.stringify({ voiceActivity: { voiceActivityType } }))
      voice('ACTIVITY_START')
      await world.clock.elapse(10)
      expect(log).toEqual(['user started'])
      voice('ACTIVITY_END')
      await world.clock.elapse(10)
      expect(log).toEqual(['user started', 'user stopped'])
      await context.scope.close()
    }))

  it('gets one answer per manual turn, and a request with instructions gets its own', () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, log, sent, context } = await talk(world, {
        setup: { takesTurns: false },
        server: { answers: ['Yes.', 'Also yes.'] },
      })
      says('are you there')
      quiet(2_000)
      await world.clock.elapse(2_000)
      expect(log).toEqual(['user started', 'interim are ', 'interim are you '])
      model.commit()
      model.commit()
      model.respond()
      model.respond('And now?')
      await world.clock.elapse(3_000)
      expect(log.slice(3)).toEqual([
        'user stopped',
        'final are you there',
        'answer-1 begins, asked',
        'answer-1 completed',
        'answer-2 begins, asked',
        'answer-2 completed',
      ])
      expect(sent()).toEqual([
        'setup new',
        'activityStart',
        'activityEnd',
        'content user: [{"text":"And now?"}], answer',
      ])
      await context.scope.close()
    }))
})
