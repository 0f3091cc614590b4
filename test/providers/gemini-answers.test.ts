import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime } from '../../src/testing/index.ts'
import { STOP, talk } from './gemini-fixture.ts'

const find = { name: 'find', description: 'Finds a slot', parameters: { type: 'object', properties: {} } }

describe('the user of Gemini', () => {
  it('is heard by a transcription that grows, and has finished when the model begins to answer', () =>
    inVirtualTime(async (world) => {
      const { says, quiet, told, said, heard, context } = await talk(world, {
        server: { answers: ['Good morning.'] },
      })
      says('hello there')
      quiet(600)
      await world.clock.elapse(2_000)
      expect(told).toEqual([
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

  it('interrupts an answer: nothing more of it is told, and the next words are its', () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, told, heard, context } = await talk(world, {
        server: { answers: ['Good morning to you and yours.', 'Yes?'], speed: 1 },
      })
      model.respond()
      await world.clock.elapse(500)
      says('stop')
      await world.clock.elapse(10)
      const before = heard()
      expect(told).toEqual(['answer-1 begins, asked', 'answer-1 cancelled', 'user started'])
      quiet(600)
      await world.clock.elapse(2_000)
      expect(heard()).toBe(`${before}Yes?`)
      expect(told.slice(3)).toEqual([
        'interim stop',
        'user stopped',
        'final stop',
        'answer-2 begins',
        'answer-2 completed',
      ])
      await context.scope.close()
    }))

  it('is not believed to speak when words come late: they belong to what is being answered', () =>
    inVirtualTime(async (world) => {
      const { told, tells, context } = await talk(world)
      const modelTurn = { role: 'model' as const, parts: [{ inlineData: { data: 'AAAA', mimeType: '' } }] }
      tells({ serverContent: { modelTurn } }, { serverContent: { inputTranscription: { text: ' So late' } } })
      tells({ serverContent: { generationComplete: true } }, { serverContent: { turnComplete: true } })
      await world.clock.elapse(50)
      expect(told).toEqual([
        'user started',
        'user stopped',
        'answer-1 begins',
        'answer-1 completed',
        'final So late',
      ])
      await context.scope.close()
    }))

  it('does not interrupt an answer by the tail of the question, which comes late', () =>
    inVirtualTime(async (world) => {
      const { told, tells, context } = await talk(world)
      const modelTurn = { role: 'model' as const, parts: [{ inlineData: { data: 'AAAA', mimeType: '' } }] }
      const words = (text: string): object => ({ serverContent: { inputTranscription: { text } } })
      tells(words('How long'), { serverContent: { modelTurn } }, words(' are you open?'))
      await world.clock.elapse(10)
      expect(told).toEqual([
        'user started',
        'interim How long',
        'user stopped',
        'final How long',
        'answer-1 begins',
      ])
      tells({ serverContent: { turnComplete: true } })
      await world.clock.elapse(10)
      expect(told.slice(5)).toEqual(['answer-1 completed', 'final are you open?'])
      await context.scope.close()
    }))

  it('has stopped when there is no sign of anybody for a while', () =>
    inVirtualTime(async (world) => {
      const { told, tells, context } = await talk(world)
      tells({ serverContent: { inputTranscription: { text: 'Mhm.' } } })
      await world.clock.elapse(2_900)
      expect(told).toEqual(['user started', 'interim Mhm.'])
      await world.clock.elapse(200)
      expect(told.slice(2)).toEqual(['user stopped', 'final Mhm.'])
      await context.scope.close()
    }))

  it('is told of by voice activity, where the service sends it', () =>
    inVirtualTime(async (world) => {
      const { told, server, context } = await talk(world)
      const voice = (voiceActivityType: string): void =>
        server.open[0]!.connection.send(JSON.stringify({ voiceActivity: { voiceActivityType } }))
      voice('ACTIVITY_START')
      await world.clock.elapse(10)
      expect(told).toEqual(['user started'])
      voice('ACTIVITY_END')
      await world.clock.elapse(10)
      expect(told).toEqual(['user started', 'user stopped'])
      await context.scope.close()
    }))

  it('takes turns by hand: what was said until then is answered, and answers no other ask', () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, told, sent, context } = await talk(world, {
        setup: { takesTurns: false },
        server: { answers: ['Yes.', 'Also yes.'] },
      })
      says('are you there')
      quiet(2_000)
      await world.clock.elapse(2_000)
      expect(told).toEqual(['user started', 'interim are ', 'interim are you '])
      model.commit()
      model.commit()
      model.respond()
      model.respond('And now?')
      await world.clock.elapse(3_000)
      expect(told.slice(3)).toEqual([
        'user stopped',
        'final are you there',
        'answer-1 begins, asked',
        'answer-1 completed',
        'answer-2 begins, asked',
        'answer-2 completed',
      ])
      expect(sent()).toEqual([
        'setup anew',
        'activityStart',
        'activityEnd',
        'content user: [{"text":"And now?"}], answer',
      ])
      await context.scope.close()
    }))
})

describe('an answer of Gemini', () => {
  it('is asked for with instructions of its own, and what was added before', () =>
    inVirtualTime(async (world) => {
      const { model, sent, server, context } = await talk(world, { server: { answers: ['Hello.', 'Bye.'] } })
      model.addText('It is me.')
      model.respond('Greet the caller.')
      model.addText('I have to go.')
      await world.clock.elapse(2_000)
      model.respond()
      await world.clock.elapse(2_000)
      expect(sent()).toEqual([
        'setup anew',
        'content user: [{"text":"It is me."}], wait',
        'content user: [{"text":"Greet the caller."}], answer',
        'content user: [{"text":"I have to go."}], wait',
        'content answer',
      ])
      expect(server.transcript).toEqual([
        'user: It is me.',
        'user: Greet the caller.',
        'model: Hello.',
        'user: I have to go.',
        'model: Bye.',
      ])
      await context.scope.close()
    }))

  it('is stopped by content without words when it is interrupted from here, and the next one comes', () =>
    inVirtualTime(async (world) => {
      const { model, told, heard, sent, server, context } = await talk(world, {
        server: { answers: ['Good morning to you.', 'Sorry.'], speed: 1 },
      })
      model.respond()
      await world.clock.elapse(300)
      model.interrupt('answer-1', 250)
      model.respond()
      expect(told.at(-1)).toBe('answer-1 cancelled')
      const before = heard()
      await world.clock.elapse(2_000)
      expect(heard()).toBe(`${before}Sorry.`)
      expect(sent().slice(2)).toEqual([STOP, 'content answer'])
      expect(told).toEqual([
        'answer-1 begins, asked',
        'answer-1 cancelled',
        'answer-2 begins, asked',
        'answer-2 completed',
      ])
      // What the model believes to have said is what it has sent, not what was heard.
      expect(server.transcript[0]).toMatch(/^model: Good m/)
      await context.scope.close()
    }))

  it('can still be interrupted while the service assumes that it is heard, and not when it is over', () =>
    inVirtualTime(async (world) => {
      const { model, told, sent, context } = await talk(world, {
        server: { answers: ['Good morning to you and yours.', 'Yes?'], speed: Infinity },
      })
      model.respond()
      await world.clock.elapse(100)
      expect(told).toEqual(['answer-1 begins, asked', 'answer-1 completed'])
      model.interrupt('answer-1', 100)
      model.respond()
      await world.clock.elapse(100)
      expect(told.slice(2)).toEqual(['answer-2 begins, asked', 'answer-2 completed'])
      await world.clock.elapse(2_000)
      model.interrupt('answer-2', 100)
      await world.clock.elapse(100)
      expect(sent().filter((line) => line === STOP)).toHaveLength(1)
      await context.scope.close()
    }))

  it('fails when the service says so, and is empty when it says nothing', () =>
    inVirtualTime(async (world) => {
      const { model, told, server, context } = await talk(world, {
        server: { answers: [[], [{ stall: true }]] },
      })
      model.respond()
      await world.clock.elapse(100)
      expect(told).toEqual(['answer-1 begins, asked', 'answer-1 completed'])
      model.respond()
      await world.clock.elapse(100)
      server.open[0]!.connection.send(
        JSON.stringify({ serverContent: { turnComplete: true, turnCompleteReason: 'RESPONSE_REJECTED' } }),
      )
      await world.clock.elapse(10)
      expect(told.slice(2)).toEqual([
        'answer-2 begins, asked',
        'answer-2 failed: gemini failed: it gave no answer (RESPONSE_REJECTED)',
      ])
      await context.scope.close()
    }))

  it('that nothing comes of fails, begun or not', () =>
    inVirtualTime(async (world) => {
      const { model, told, context } = await talk(world, {
        options: { stallTimeout: 5_000 },
        server: { answers: [[{ stall: true }], ['Well', { stall: true }]] },
      })
      model.respond()
      await world.clock.elapse(5_010)
      model.respond()
      await world.clock.elapse(6_000)
      expect(told).toEqual([
        'answer-1 begins, asked',
        expect.stringContaining("answer-1 failed: the answer of 'gemini' took longer than 5000 ms"),
        'answer-2 begins, asked',
        expect.stringContaining('answer-2 failed'),
      ])
      await context.scope.close()
    }))

  it('is counted in tokens', () =>
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

describe('the tools of Gemini', () => {
  const setup = { tools: [find] }

  it('end an answer by being called, and the next one goes on when all results are there and it is asked for', () =>
    inVirtualTime(async (world) => {
      const { model, told, sent, said, context } = await talk(world, {
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
      expect(told).toEqual([
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
      expect(told.slice(4)).toEqual(['answer-2 begins, asked', 'answer-2 completed'])
      expect(said()).toBe('One moment. At nine.')
      await context.scope.close()
    }))

  it('are cancelled when the model takes its calls back, and what was done meanwhile it is told later', () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, told, server, context } = await talk(world, {
        setup,
        server: { answers: [[callTool('find'), callTool('find')], 'Yes?'] },
      })
      model.respond()
      await world.clock.elapse(100)
      model.toolResult('call-1', 'nine', false)
      says('stop')
      quiet(600)
      await world.clock.elapse(3_000)
      expect(told.slice(4)).toEqual([
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

  it('are not interrupted with the words before them', () =>
    inVirtualTime(async (world) => {
      const { model, told, sent, context } = await talk(world, {
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
      expect(told.at(-1)).toBe('answer-2 completed')
      await context.scope.close()
    }))

  it('keep other asks waiting, which are told the results with what they want', () =>
    inVirtualTime(async (world) => {
      const { model, told, said, sent, context } = await talk(world, {
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
      expect(told.slice(3)).toEqual([
        'answer-2 begins, asked',
        'answer-2 completed',
        'answer-3 begins, asked',
        'answer-3 completed',
      ])
      await context.scope.close()
    }))
})
