import { describe, expect, it } from 'vitest'
import { silence } from '../../../src/audio/index.ts'
import { callTool, inVirtualTime, soundOf } from '../../../src/testing/index.ts'
import { LONG, milestones, talk, typesOf, type Talking } from './fixture.ts'

/** The events that withdraw an answer or parts of it. */
const withdrawals = ({ sent }: Talking): object[] =>
  sent().filter(({ type }) => /cancel|truncate|delete/.test(type))

describe('an interrupted OpenAI answer', () => {
  it('is cancelled and truncated to what was heard', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: [LONG], manners: { latency: 50 } })
      const { model, server, context, log, answers, warnings, heard } = talking
      model.respond()
      await world.clock.elapse(350)
      model.interrupt(answers[0]!, 620)
      expect(milestones(log)).toEqual(['answer, asked', 'cancelled'])
      const before = log.length
      const sounded = heard(answers[0]!)
      await world.clock.elapse(2_000)
      expect(withdrawals(talking)).toMatchObject([
        { type: 'response.cancel', response_id: answers[0] },
        { type: 'conversation.item.truncate', content_index: 0, audio_end_ms: 620 },
      ])
      expect(server.transcript).toEqual(['assistant: Good morning'])
      // Later events of the answer are ignored, except for its usage.
      expect(log.slice(before).filter((line) => !line.startsWith('usage'))).toEqual([])
      expect(heard(answers[0]!)).toBe(sounded)
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('is replaced by the words that were heard if the model wrote it', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: [LONG, 'Yes.'], setup: { speaks: undefined } })
      const { model, server, context, answers, warnings } = talking
      model.respond()
      await world.clock.elapse(500)
      model.interrupt(answers[0]!, 800)
      await world.clock.elapse(100)
      expect(typesOf(talking.sent()).slice(2)).toEqual([
        'conversation.item.delete',
        'conversation.item.create',
      ])
      expect(server.transcript).toEqual(['assistant: Good morning'])
      model.respond()
      await world.clock.elapse(500)
      model.interrupt(answers[1]!, 0)
      await world.clock.elapse(100)
      expect(server.transcript).toEqual(['assistant: Good morning'])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('is never truncated beyond the audio that was received', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: [[LONG, { stall: true }]] })
      const { model, server, context, answers, warnings } = talking
      model.respond()
      await world.clock.elapse(5_000)
      model.interrupt(answers[0]!, 60_000)
      await world.clock.elapse(100)
      expect(withdrawals(talking)[1]).toMatchObject({ audio_end_ms: LONG.length * 50 })
      expect(server.transcript).toEqual([`assistant: ${LONG}`])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('is deleted if none of it was heard', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: [LONG] })
      const { model, server, context, answers } = talking
      model.respond()
      await world.clock.elapse(300)
      model.interrupt(answers[0]!, 0)
      await world.clock.elapse(100)
      expect(withdrawals(talking)).toMatchObject([
        { type: 'response.cancel' },
        { type: 'conversation.item.delete' },
      ])
      expect(server.transcript).toEqual([])
      await context.scope.close()
    }))

  it('loses the items that arrive after the interruption, too', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log, answers } = await talk(world, {
        firstAfter: 50,
        manners: { latency: 100 },
        answers: [[callTool('find'), LONG]],
      })
      model.respond()
      // The answer has started, but its first words have not arrived.
      await world.clock.elapse(210)
      expect(milestones(log)).toEqual(['answer, asked'])
      model.interrupt(answers[0]!, 0)
      await world.clock.elapse(3_000)
      expect(server.transcript).toEqual([])
      expect(milestones(log)).toEqual(['answer, asked', 'cancelled'])
      await context.scope.close()
    }))

  it('that is complete but was not heard to the end is only truncated', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: ['Good morning to you.'] })
      const { model, server, context, log, answers } = talking
      model.respond()
      await world.clock.elapse(2_000)
      model.interrupt(answers[0]!, 600)
      model.interrupt(answers[0]!, 100)
      await world.clock.elapse(100)
      expect(typesOf(withdrawals(talking) as never)).toEqual(['conversation.item.truncate'])
      expect(server.transcript).toEqual(['assistant: Good morning'])
      expect(milestones(log)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))

  it('that was heard to the end is left unchanged', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: ['Good morning.'] })
      const { model, context, answers } = talking
      model.respond()
      await world.clock.elapse(2_000)
      model.interrupt(answers[0]!, 5_000)
      expect(withdrawals(talking)).toEqual([])
      await context.scope.close()
    }))

  it('with several items keeps those heard and all calls, and loses the others', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, answers, warnings } = await talk(world, {
        answers: [['Hello.', callTool('find'), 'One moment.', callTool('find'), 'Here it is.']],
      })
      model.respond()
      await world.clock.elapse(3_000)
      // 300 ms of the first message and 200 ms of the second.
      model.interrupt(answers[0]!, 500)
      await world.clock.elapse(100)
      expect(server.transcript).toEqual([
        'assistant: Hello.',
        'function_call: find({})',
        'assistant: One ',
        'function_call: find({})',
      ])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('that had already ended at the service causes no warning', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { manners: { latency: 100 }, answers: ['Yes.', 'Again.'] })
      const { model, server, context, log, answers, warnings } = talking
      model.respond()
      // The service completes it after 40 ms, which arrives here 200 ms after the request.
      await world.clock.elapse(210)
      model.interrupt(answers[0]!, 0)
      model.respond()
      await world.clock.elapse(2_000)
      expect(withdrawals(talking)).toMatchObject([{ type: 'response.cancel' }, {}])
      expect(milestones(log)).toEqual(['answer, asked', 'cancelled', 'answer, asked', 'completed'])
      expect(server.transcript).toEqual(['assistant: Again.'])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('is followed by the next one only after the service has stopped it', () =>
    inVirtualTime(async (world) => {
      const { model, context, log, answers, warnings } = await talk(world, {
        manners: { latency: 50 },
        answers: [LONG, 'Sorry.'],
      })
      model.respond()
      await world.clock.elapse(500)
      model.interrupt(answers[0]!, 300)
      model.respond()
      await world.clock.elapse(3_000)
      expect(milestones(log)).toEqual(['answer, asked', 'cancelled', 'answer, asked', 'completed'])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('ends after userStarted when the service interrupts it because the user speaks', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log, answers } = await talk(world, { answers: [LONG, 'Sorry.'] })
      model.respond()
      await world.clock.elapse(300)
      model.push(soundOf('stop', 24_000, 50))
      await world.clock.elapse(10)
      expect(milestones(log)).toEqual(['answer, asked', 'user starts', 'cancelled'])
      // The session reports how much was heard.
      model.interrupt(answers[0]!, 250)
      model.push(silence(600, 24_000))
      await world.clock.elapse(3_000)
      expect(milestones(log).slice(3)).toEqual(['user stops', 'answer', 'final stop', 'completed'])
      expect(server.transcript).toEqual(['assistant: Good ', 'user: stop', 'assistant: Sorry.'])
      await context.scope.close()
    }))
})
