import { describe, expect, it } from 'vitest'
import { soundOf, inVirtualTime, callTool } from '../../src/testing/index.ts'
import { plot, talk, typesOf } from './openai-fixture.ts'

const MINUTE = 60_000
const LONG = 'Good morning to you and to all of your friends.'

describe('the hour of a session', () => {
  it('[LK8] is rolled over before its end, the new connection first, and what was said goes along', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told, warnings } = await talk(world, {
        answers: [['One moment.', callTool('find')], 'At nine.', 'You are welcome.'],
        setup: { messages: [{ role: 'user', text: 'It is me again.' }] },
      })
      server.hear('is there a slot')
      await world.clock.elapse(2_000)
      model.toolResult('call-1', 'nine', false)
      model.respond()
      await world.clock.elapse(57 * MINUTE)
      expect(server.sessions.length).toBe(1)
      const before = told.length
      await world.clock.elapse(MINUTE)
      expect(server.sessions.length).toBe(2)
      expect(server.open.length).toBe(1)
      expect(server.transcript).toEqual([
        'user: It is me again.',
        'user: is there a slot',
        'assistant: One moment.',
        'function_call: find({})',
        'function_call_output: nine',
        'assistant: At nine.',
      ])
      expect(told).toHaveLength(before)
      server.hear('thank you')
      await world.clock.elapse(2_000)
      expect(server.transcript.slice(-2)).toEqual(['user: thank you', 'assistant: You are welcome.'])
      expect(warnings).toEqual([])
      await world.clock.elapse(3 * 60 * MINUTE)
      expect(server.sessions.length).toBe(5)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('[LK8] is rolled over when nobody speaks, if there is such a moment', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told } = await talk(world, {
        answers: [['Well,', { wait: MINUTE }, ' goodbye.']],
      })
      await world.clock.elapse(57.5 * MINUTE)
      model.respond()
      await world.clock.elapse(0.9 * MINUTE)
      expect(server.sessions.length).toBe(1)
      await world.clock.elapse(0.2 * MINUTE)
      expect(server.sessions.length).toBe(2)
      expect(plot(told)).toEqual(['answer, asked', 'completed'])
      expect(server.transcript).toEqual(['assistant: Well, goodbye.'])
      await context.scope.close()
    }))

  it('[LK8] does not wait for such a moment to the very end', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told } = await talk(world, {
        answers: [['Well,', { stall: true }], 'Hello.'],
      })
      await world.clock.elapse(57.5 * MINUTE)
      model.respond()
      await world.clock.elapse(2.3 * MINUTE)
      expect(server.sessions.length).toBe(2)
      expect(plot(told)).toEqual([
        'answer, asked',
        'failed: openai failed: the connection broke in the middle of an answer. Try again later, or have another to fall back on',
      ])
      model.respond()
      await world.clock.elapse(2_000)
      expect(plot(told).slice(2)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))

  it('[LK2] [LK8] that ends without a plan is carried over just so', () =>
    inVirtualTime(async (world) => {
      const { server, context, told } = await talk(world, { answers: ['Hello.', 'Bye.'] })
      server.hear('good morning')
      await world.clock.elapse(20_000)
      server.expire()
      await world.clock.elapse(100)
      expect(server.open.length).toBe(1)
      expect(server.transcript).toEqual(['user: good morning', 'assistant: Hello.'])
      server.hear('goodbye')
      await world.clock.elapse(2_000)
      expect(plot(told).slice(-3)).toEqual(['answer', 'completed', 'final goodbye'])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('[LK2] that is only said to have expired is left', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world)
      await world.clock.elapse(20_000)
      server.fail('session_expired', 'Your session hit the maximum duration of 60 minutes.')
      await world.clock.elapse(1_000)
      expect(server.sessions.length).toBe(2)
      expect(server.open.length).toBe(1)
      await context.scope.close()
    }))

  it('[LK2] that is only closed with 1001 is one that has expired', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world)
      // Healthy: it has answered.
      server.fail()
      await world.clock.elapse(20_000)
      server.close(1001, 'Your session hit the maximum duration of 60 minutes.')
      await world.clock.elapse(100)
      expect(server.open.length).toBe(1)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('is not looked for on a clock that goes wrong', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world, { lifetime: 10_000 })
      await world.clock.elapse(9_000)
      expect(server.sessions.length).toBe(1)
      await context.scope.close()
    }))

  it('[LK8] does not lose another agent that takes over meanwhile', () =>
    inVirtualTime(async (world) => {
      const { model, server, context } = await talk(world)
      server.manners.latency = 100
      await world.clock.elapse(58 * MINUTE + 50)
      expect(server.sessions.length).toBe(2)
      // The new connection is being told of the first agent.
      model.update({ instructions: 'Do the bills.', tools: [] })
      await world.clock.elapse(1_000)
      expect(server.open.length).toBe(1)
      expect(server.open[0]?.settings).toMatchObject({ instructions: 'Do the bills.', tools: [] })
      await context.scope.close()
    }))
})

describe('a connection that breaks', () => {
  it('[LK2] is replaced, and the conversation goes on as it was heard', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, answers, warnings } = await talk(world, {
        answers: [LONG, 'Yes?', 'Bye.'],
      })
      model.respond()
      await world.clock.elapse(300)
      model.interrupt(answers[0]!, 620)
      server.hear('excuse me')
      await world.clock.elapse(2_000)
      server.drop()
      await world.clock.elapse(2_000)
      expect(server.transcript).toEqual(['assistant: Good morning', 'user: excuse me', 'assistant: Yes?'])
      model.respond()
      await world.clock.elapse(2_000)
      expect(server.transcript.at(-1)).toBe('assistant: Bye.')
      expect(warnings).toEqual([])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
    }))

  it('[LK2] fails an answer of which something was told', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told } = await talk(world, { answers: [LONG, 'Hello.'] })
      model.respond()
      await world.clock.elapse(300)
      server.drop()
      expect(plot(told)).toEqual(['answer, asked', expect.stringMatching(/^failed: .*middle of an answer/)])
      await world.clock.elapse(3_000)
      expect(plot(told)).toHaveLength(2)
      model.respond()
      await world.clock.elapse(2_000)
      expect(plot(told).slice(2)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))

  it.each([
    ['an answer of which nothing was told', 500],
    ['an ask that was on its way', 0],
  ])('[LK2] asks again for %s: nobody notices', (_, after) =>
    inVirtualTime(async (world) => {
      const { model, server, context, told, heard, answers } = await talk(world, {
        firstAfter: 1_000,
        answers: () => 'Good morning.',
      })
      model.respond('Greet the caller.')
      await world.clock.elapse(after)
      server.drop()
      await world.clock.elapse(5_000)
      expect(plot(told)).toEqual(['answer, asked', 'completed'])
      expect(heard(answers[0]!)).toBe('Good morning.')
      const [, second] = server.sessions
      expect(second?.received).toContainEqual(
        expect.objectContaining({
          type: 'response.create',
          response: expect.objectContaining({ instructions: 'Be brief.\n\nGreet the caller.' }) as object,
        }),
      )
      await context.scope.close()
    }),
  )

  it('[LK2] answers a user whose words it has heard and not written down', () =>
    inVirtualTime(async (world) => {
      const { server, context, told } = await talk(world, {
        firstAfter: 1_000,
        transcriptionAfter: 5_000,
        answers: () => 'Could you say that again?',
      })
      server.hear('is there a slot')
      await world.clock.elapse(500)
      server.drop()
      await world.clock.elapse(5_000)
      expect(server.transcript).toEqual(['user: (inaudible)', 'assistant: Could you say that again?'])
      expect(plot(told)).toEqual(['user starts', 'user stops', 'answer', 'final ', 'completed'])
      await context.scope.close()
    }))

  it('does not ask again for an answer that was taken back meanwhile', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told, answers } = await talk(world, {
        firstAfter: 1_000,
        answers: () => 'Good morning.',
      })
      model.respond()
      await world.clock.elapse(500)
      server.drop()
      model.interrupt(answers[0]!, 0)
      await world.clock.elapse(5_000)
      expect(plot(told)).toEqual(['answer, asked', 'cancelled'])
      expect(typesOf(server.sessions[1]!.received)).not.toContain('response.create')
      await context.scope.close()
    }))

  it('[LK2] says once, on the next one, what was said, typed and found out meanwhile', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told, warnings } = await talk(world, {
        answers: [[callTool('find')], 'At nine.'],
      })
      model.respond()
      await world.clock.elapse(1_000)
      server.manners.connect = 1_000
      server.drop()
      model.toolResult('call-1', 'nine', false)
      model.addText('Hurry.')
      model.update({ instructions: 'Be quick.', tools: [] })
      model.respond()
      model.push(soundOf('hello', 24_000, 50))
      await world.clock.elapse(5_000)
      expect(server.transcript.slice(0, 3)).toEqual([
        'function_call: find({})',
        'function_call_output: nine',
        'user: Hurry.',
      ])
      expect(server.open[0]?.settings).toMatchObject({ instructions: 'Be quick.' })
      expect(plot(told)).toContain('user starts')
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('cuts an answer that was carried over, and keeps its place', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, answers, warnings } = await talk(world, {
        answers: ['Good morning to you.', 'Yes?'],
      })
      model.respond()
      model.addText('Hello?')
      await world.clock.elapse(2_000)
      model.addText('Are you there?')
      await world.clock.elapse(100)
      server.drop()
      await world.clock.elapse(2_000)
      expect(server.transcript[1]).toBe('assistant: Good morning to you.')
      model.interrupt(answers[0]!, 650)
      await world.clock.elapse(100)
      expect(server.transcript).toEqual(['user: Hello?', 'assistant: Good morning', 'user: Are you there?'])
      server.drop()
      await world.clock.elapse(2_000)
      expect(server.transcript[1]).toBe('assistant: Good morning')
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('ends what the user was saying on it', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told } = await talk(world, { answers: ['Yes?'] })
      model.push(soundOf('can you', 24_000, 50))
      await world.clock.elapse(10)
      server.drop()
      expect(plot(told)).toEqual(['user starts', 'user stops', 'final '])
      await context.scope.close()
    }))

  it('[LK2] is noticed when it is dead: whatever is sent must be answered', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told } = await talk(world, { answers: ['Never.', 'Hello.'] })
      server.stall()
      model.respond()
      await world.clock.elapse(20_000)
      expect(server.sessions.length).toBe(2)
      expect(plot(told)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))

  it('[LK2] fails the model when it cannot be replaced', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told } = await talk(world)
      server.manners.refuse = 401
      server.drop()
      await world.clock.elapse(10_000)
      expect(told).toEqual([expect.stringContaining('failed LinkError')])
      model.respond()
      model.interrupt('none', 0)
      model.update({ instructions: '', tools: [] })
      await world.clock.elapse(10_000)
      expect(told).toHaveLength(1)
      await context.scope.close()
    }))
})
