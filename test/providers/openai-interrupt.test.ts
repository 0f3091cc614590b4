import { describe, expect, it } from 'vitest'
import { silence } from '../../src/audio/index.ts'
import { callTool, inVirtualTime, soundOf } from '../../src/testing/index.ts'
import { plot, talk, typesOf, type Talking } from './openai-fixture.ts'

const LONG = 'Good morning to you and to all of your friends.'

/** What was sent to take an answer back. */
const takenBack = ({ sent }: Talking): object[] =>
  sent().filter(({ type }) => /cancel|truncate|delete/.test(type))

describe('an answer that is interrupted', () => {
  it('is cancelled, and cut to what was heard', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: [LONG], manners: { latency: 50 } })
      const { model, server, context, told, answers, warnings, heard } = talking
      model.respond()
      await world.clock.elapse(350)
      model.interrupt(answers[0]!, 620)
      expect(plot(told)).toEqual(['answer, asked', 'cancelled'])
      const before = told.length
      const sounded = heard(answers[0]!)
      await world.clock.elapse(2_000)
      expect(takenBack(talking)).toMatchObject([
        { type: 'response.cancel', response_id: answers[0] },
        { type: 'conversation.item.truncate', content_index: 0, audio_end_ms: 620 },
      ])
      expect(server.transcript).toEqual(['assistant: Good morning'])
      // What it still said was dropped, except for what it has cost.
      expect(told.slice(before).filter((line) => !line.startsWith('usage'))).toEqual([])
      expect(heard(answers[0]!)).toBe(sounded)
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('is never cut longer than what has come of it', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: [[LONG, { stall: true }]] })
      const { model, server, context, answers, warnings } = talking
      model.respond()
      await world.clock.elapse(5_000)
      model.interrupt(answers[0]!, 60_000)
      await world.clock.elapse(100)
      expect(takenBack(talking)[1]).toMatchObject({ audio_end_ms: LONG.length * 50 })
      expect(server.transcript).toEqual([`assistant: ${LONG}`])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('is forgotten if nothing of it was heard', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: [LONG] })
      const { model, server, context, answers } = talking
      model.respond()
      await world.clock.elapse(300)
      model.interrupt(answers[0]!, 0)
      await world.clock.elapse(100)
      expect(takenBack(talking)).toMatchObject([
        { type: 'response.cancel' },
        { type: 'conversation.item.delete' },
      ])
      expect(server.transcript).toEqual([])
      await context.scope.close()
    }))

  it('is forgotten also as far as it comes only now', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told, answers } = await talk(world, {
        firstAfter: 50,
        manners: { latency: 100 },
        answers: [[callTool('find'), LONG]],
      })
      model.respond()
      // It has begun, and the first words are on their way.
      await world.clock.elapse(210)
      expect(plot(told)).toEqual(['answer, asked'])
      model.interrupt(answers[0]!, 0)
      await world.clock.elapse(3_000)
      expect(server.transcript).toEqual([])
      expect(plot(told)).toEqual(['answer, asked', 'cancelled'])
      await context.scope.close()
    }))

  it('that is made and not heard to its end is only cut', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: ['Good morning to you.'] })
      const { model, server, context, told, answers } = talking
      model.respond()
      await world.clock.elapse(2_000)
      model.interrupt(answers[0]!, 600)
      model.interrupt(answers[0]!, 100)
      await world.clock.elapse(100)
      expect(typesOf(takenBack(talking) as never)).toEqual(['conversation.item.truncate'])
      expect(server.transcript).toEqual(['assistant: Good morning'])
      expect(plot(told)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))

  it('that was heard to its end stays as it is', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { answers: ['Good morning.'] })
      const { model, context, answers } = talking
      model.respond()
      await world.clock.elapse(2_000)
      model.interrupt(answers[0]!, 5_000)
      expect(takenBack(talking)).toEqual([])
      await context.scope.close()
    }))

  it('is cut across its items: those before stay, those after go, calls that were told stay', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, answers, warnings } = await talk(world, {
        answers: [['Hello.', callTool('find'), 'One moment.', callTool('find'), 'Here it is.']],
      })
      model.respond()
      await world.clock.elapse(3_000)
      // 300 ms of the first, 200 ms of the second.
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

  it('was over when the service heard of it: that is no failure', () =>
    inVirtualTime(async (world) => {
      const talking = await talk(world, { manners: { latency: 100 }, answers: ['Yes.', 'Again.'] })
      const { model, server, context, told, answers, warnings } = talking
      model.respond()
      // The service is done with it after 40 ms, and we hear of that 200 ms after the ask.
      await world.clock.elapse(210)
      model.interrupt(answers[0]!, 0)
      model.respond()
      await world.clock.elapse(2_000)
      expect(takenBack(talking)).toMatchObject([{ type: 'response.cancel' }, {}])
      expect(plot(told)).toEqual(['answer, asked', 'cancelled', 'answer, asked', 'completed'])
      expect(server.transcript).toEqual(['assistant: Again.'])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('makes room for the next when the service has stopped it, not before', () =>
    inVirtualTime(async (world) => {
      const { model, context, told, answers, warnings } = await talk(world, {
        manners: { latency: 50 },
        answers: [LONG, 'Sorry.'],
      })
      model.respond()
      await world.clock.elapse(500)
      model.interrupt(answers[0]!, 300)
      model.respond()
      await world.clock.elapse(3_000)
      expect(plot(told)).toEqual(['answer, asked', 'cancelled', 'answer, asked', 'completed'])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('by the model itself, because the user speaks, ends after the user was said to', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told, answers } = await talk(world, { answers: [LONG, 'Sorry.'] })
      model.respond()
      await world.clock.elapse(300)
      model.push(soundOf('stop', 24_000, 50))
      await world.clock.elapse(10)
      expect(plot(told)).toEqual(['answer, asked', 'user starts', 'cancelled'])
      // The session says how much of it was heard.
      model.interrupt(answers[0]!, 250)
      model.push(silence(600, 24_000))
      await world.clock.elapse(3_000)
      expect(plot(told).slice(3)).toEqual(['user stops', 'answer', 'final stop', 'completed'])
      expect(server.transcript).toEqual(['assistant: Good ', 'user: stop', 'assistant: Sorry.'])
      await context.scope.close()
    }))
})
