import { describe, expect, it } from 'vitest'
import { XaiRealtime } from '../../../src/providers/xai/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { XaiRealtimeServer } from '../../../src/testing/servers/index.ts'
import { find, realtimeCall } from '../realtime-call.ts'
import { KEY, milestones, talk } from './fixture.ts'

const LONG = 'Good morning to you and to all of your friends.'

describe('an answer of xAI', () => {
  it('that was interrupted, and is left without an end, delays the next one by half a second', () =>
    inVirtualTime(async (world) => {
      const { model, answers, log, context } = await talk(world, { answers: [LONG, 'Yes.'], firstAfter: 0 })
      model.respond()
      await world.clock.elapse(200)
      model.interrupt(answers[0]!, 100)
      model.respond()
      await world.clock.elapse(400)
      expect(milestones(log)).toEqual(['answer, asked', 'cancelled'])
      await world.clock.elapse(2_000)
      expect(milestones(log).slice(2)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))

  it('[LK11] that was interrupted, and is left without an end, is not taken for a silent service', () =>
    inVirtualTime(async (world) => {
      const { model, answers, server, context } = await talk(world, { answers: [LONG, 'Yes.'] })
      model.respond()
      await world.clock.elapse(300)
      model.interrupt(answers[0]!, 100)
      await world.clock.elapse(30_000)
      expect(server.sessions.length).toBe(1)
      // The whole answer has arrived: only the truncation is left, which is not answered either.
      model.respond()
      await world.clock.elapse(2_000)
      model.interrupt(answers[1]!, 10)
      await world.clock.elapse(30_000)
      expect(server.sessions.length).toBe(1)
      await context.scope.close()
    }))

  it('may have any details of its status', () =>
    inVirtualTime(async (world) => {
      const { sends, log, server, context } = await talk(world)
      sends({ type: 'response.created', response: { id: 'r1', status_details: 'unimplemented' } })
      sends({ type: 'response.done', response: { id: 'r1', status: 'failed', status_details: 'no idea' } })
      await world.clock.elapse(100)
      expect(log).toEqual(['answer', 'failed: xai failed: it gave no reason'])
      expect(server.sessions.length).toBe(1)
      await context.scope.close()
    }))

  it('whose beginning is reported twice is one answer, and the next one is not delayed', () =>
    inVirtualTime(async (world) => {
      const { model, sends, log, context } = await talk(world, { answers: ['Yes.'] })
      const created = { type: 'response.created', response: { id: 'r1' } }
      sends(created)
      sends(created)
      sends({ type: 'response.done', response: { id: 'r1', status: 'completed' } })
      await world.clock.elapse(100)
      model.respond()
      await world.clock.elapse(2_000)
      expect(log).toEqual(['answer', 'completed', 'answer, asked', 'completed'])
      await context.scope.close()
    }))

  it('[PR1] with a transcript that is no text drops the connection', () =>
    inVirtualTime(async (world) => {
      const { sends, server, context } = await talk(world)
      const type = 'conversation.item.input_audio_transcription.updated'
      sends({ type, item_id: 'a', transcript: { text: 'hello' } })
      await world.clock.elapse(3_000)
      expect(server.sessions.length).toBe(2)
      await context.scope.close()
    }))

  it('[PT9] is exactly the words that it is given, in one event, in turn with other answers', () =>
    inVirtualTime(async (world) => {
      const { model, said, log, sent, context } = await talk(world, { answers: ['Yes. '] })
      model.respond()
      model.say!('Your number is 4, 2, 7.')
      await world.clock.elapse(5_000)
      expect(milestones(log)).toEqual(['answer, asked', 'completed', 'answer, asked', 'completed'])
      expect(said()).toBe('Yes. Your number is 4, 2, 7.')
      expect(sent().slice(1)).toMatchObject([
        { type: 'response.create' },
        {
          type: 'conversation.item.create',
          item: { type: 'force_message', content: [{ text: 'Your number is 4, 2, 7.' }] },
        },
      ])
      await context.scope.close()
    }))

  it('is said again on a new connection if it was lost before its first sound', () =>
    inVirtualTime(async (world) => {
      const { model, said, log, server, context } = await talk(world, { firstAfter: 500 })
      model.say!('Goodbye.')
      await world.clock.elapse(100)
      server.drop()
      await world.clock.elapse(5_000)
      expect(milestones(log)).toEqual(['answer, asked', 'completed'])
      expect(said()).toBe('Goodbye.')
      await context.scope.close()
    }))
})

describe('a call with xAI', () => {
  it('[PT9] speaks, is interrupted, calls tools and says words exactly', () =>
    inVirtualTime(async (world) => {
      const { clock, network } = world
      const server = new XaiRealtimeServer({ clock, apiKey: KEY, speed: 2 })
      network.serve = server.serve
      server.answers(LONG, [{ type: 'tool-call', id: 'call-a', name: 'find', input: '{}' }], 'At nine.')
      const { session, caller, log } = realtimeCall(world, new XaiRealtime({ apiKey: KEY }), {
        agent: { tools: { find: find(() => 'nine') } },
      })
      await session.start()
      const hears = async (text: string): Promise<void> => {
        await caller.says(text)
        await caller.pauses(600)
      }
      const talking = hears('good morning')
      await clock.elapse(2_600)
      await talking
      const interrupting = hears('is there a slot')
      await clock.elapse(6_000)
      await interrupting
      session.say('The code is 4, 2, 7.')
      await clock.elapse(4_000)
      const closing = session.close()
      await clock.elapse(1_000)
      const { transcript, errors, usage } = await closing
      expect(log).toEqual([
        'user: good morning',
        expect.stringMatching(/^agent interrupted: Good/),
        'user: is there a slot',
        'find: nine',
        'agent played: At nine.',
        'agent played: The code is 4, 2, 7.',
        'closed: requested',
      ])
      expect(transcript.flatMap((item) => (item.type === 'message' ? [item.text] : []))).toEqual([
        'good morning',
        expect.stringMatching(/^Good/),
        'is there a slot',
        'At nine.',
        'The code is 4, 2, 7.',
      ])
      expect(errors).toEqual([])
      expect(usage).toMatchObject({ outputTokens: expect.any(Number) as number })
      expect(server.sessions[0]?.received).toContainEqual(
        expect.objectContaining({ item: expect.objectContaining({ type: 'force_message' }) as object }),
      )
      expect(server.open).toEqual([])
    }))
})
