import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime, soundOf } from '../../../src/testing/index.ts'
import { LONG, milestones, talk, typesOf } from './fixture.ts'

describe('an OpenAI connection that breaks', () => {
  it('[LK2] is replaced, and the conversation continues as it was heard', () =>
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

  it('[LK2] fails an answer that had output', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log } = await talk(world, { answers: [LONG, 'Hello.'] })
      model.respond()
      await world.clock.elapse(300)
      server.drop()
      expect(milestones(log)).toEqual([
        'answer, asked',
        expect.stringMatching(/^failed: .*middle of an answer/),
      ])
      await world.clock.elapse(3_000)
      expect(milestones(log)).toHaveLength(2)
      model.respond()
      await world.clock.elapse(2_000)
      expect(milestones(log).slice(2)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))

  it.each([
    ['an answer without output', 500],
    ['a request without an answer', 0],
  ])('[LK2] repeats %s unnoticed', (_, after) =>
    inVirtualTime(async (world) => {
      const { model, server, context, log, heard, answers } = await talk(world, {
        firstAfter: 1_000,
        answers: () => 'Good morning.',
      })
      model.respond('Greet the caller.')
      await world.clock.elapse(after)
      server.drop()
      await world.clock.elapse(5_000)
      expect(milestones(log)).toEqual(['answer, asked', 'completed'])
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

  it("[LK2] still answers the user's turn that was not transcribed", () =>
    inVirtualTime(async (world) => {
      const { server, context, log } = await talk(world, {
        firstAfter: 1_000,
        transcriptionAfter: 5_000,
        answers: () => 'Could you say that again?',
      })
      server.hear('is there a slot')
      await world.clock.elapse(500)
      server.drop()
      await world.clock.elapse(5_000)
      expect(server.transcript).toEqual(['user: (inaudible)', 'assistant: Could you say that again?'])
      expect(milestones(log)).toEqual(['user starts', 'user stops', 'answer', 'final ', 'completed'])
      await context.scope.close()
    }))

  it('does not repeat an answer that was interrupted meanwhile', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log, answers } = await talk(world, {
        firstAfter: 1_000,
        answers: () => 'Good morning.',
      })
      model.respond()
      await world.clock.elapse(500)
      server.drop()
      model.interrupt(answers[0]!, 0)
      await world.clock.elapse(5_000)
      expect(milestones(log)).toEqual(['answer, asked', 'cancelled'])
      expect(typesOf(server.sessions[1]!.received)).not.toContain('response.create')
      await context.scope.close()
    }))

  it('[LK2] passes on what happened meanwhile, once: results, text, agent and audio', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log, warnings } = await talk(world, {
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
      expect(milestones(log)).toContain('user starts')
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('lets a carried-over answer be truncated in its place', () =>
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

  it("ends the user's turn", () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log } = await talk(world, { answers: ['Yes?'] })
      model.push(soundOf('can you', 24_000, 50))
      await world.clock.elapse(10)
      server.drop()
      expect(milestones(log)).toEqual(['user starts', 'user stops', 'final '])
      await context.scope.close()
    }))

  it('[LK2] is noticed by the missing answers when it breaks silently', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log } = await talk(world, { answers: ['Never.', 'Hello.'] })
      server.stall()
      model.respond()
      await world.clock.elapse(20_000)
      expect(server.sessions.length).toBe(2)
      expect(milestones(log)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))

  it.each([
    ['an object', { length: 4 }],
    ['too long', 'A'.repeat(4 * 1024 * 1024 + 4)],
  ])('[PR1] is replaced if its audio is %s', (_, delta) =>
    inVirtualTime(async (world) => {
      const { model, server, context, log, answers } = await talk(world, {
        answers: [['Well', { stall: true }]],
      })
      model.respond()
      await world.clock.elapse(1_000)
      const ids = { response_id: answers[0], item_id: server.conversation.at(-1)!.id, content_index: 0 }
      const event = { type: 'response.output_audio.delta', ...ids, delta }
      server.open[0]!.connection.send(JSON.stringify(event))
      await world.clock.elapse(2_000)
      expect(server.sessions).toHaveLength(2)
      expect(milestones(log)).toEqual([
        'answer, asked',
        expect.stringMatching(/^failed: .*middle of an answer/),
      ])
      await context.scope.close()
    }),
  )

  it('[PR1] is not replaced because of an unknown event', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world)
      server.open[0]!.connection.send(JSON.stringify({ type: 'something.new', delta: { length: 4 } }))
      server.open[0]!.connection.send(JSON.stringify({ type: { toString: 1 } }))
      await world.clock.elapse(2_000)
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it('[LK2] fails the model if it cannot be replaced', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log } = await talk(world)
      server.manners.refuse = 401
      server.drop()
      await world.clock.elapse(10_000)
      expect(log).toEqual([expect.stringContaining('failed LinkError')])
      model.respond()
      model.interrupt('none', 0)
      model.update({ instructions: '', tools: [] })
      await world.clock.elapse(10_000)
      expect(log).toHaveLength(1)
      await context.scope.close()
    }))
})
