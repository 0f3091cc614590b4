import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { talk } from './fixture.ts'

const LONG = 'Good morning to you and to all of your friends.'
const inputOf = (input: { role: string; content: { text: string }[] }[] = []): string[] =>
  input.map(({ role, content }) => `${role}: ${content[0]?.text}`)

describe('the end of a GPT-Live session', () => {
  it('[LK7] is confirmed by session.closed, with the rest of the usage', () =>
    inVirtualTime(async (world) => {
      const { model, sent, usage, context } = await talk(world, { answers: ['Yes.'] })
      model.respond()
      await world.clock.elapse(2_500)
      await context.scope.close()
      expect(sent().at(-1)).toEqual({ type: 'session.close' })
      expect(context.connections).toMatchObject([{ how: 'acknowledged' }])
      const seconds = usage.map(({ audioSeconds = 0 }) => audioSeconds)
      expect(seconds.length).toBe(2)
      expect(seconds.reduce((sum, each) => sum + each, 0)).toBeCloseTo(2.5, 1)
    }))

  it('[LK7] waits for session.closed while the model goes on talking, and emits nothing of that', () =>
    inVirtualTime(async (world) => {
      const { model, said, log, context } = await talk(world, { answers: [LONG], closedAfter: 800 })
      model.respond()
      await world.clock.elapse(300)
      const before = said()
      const closing = context.scope.close()
      await world.clock.elapse(1_000)
      await closing
      expect(context.connections).toMatchObject([{ how: 'acknowledged' }])
      expect(said()).toBe(before)
      expect(log).toEqual(['answer, asked'])
    }))

  it('[LK7] without session.closed takes 2 s, and is reported as not acknowledged', () =>
    inVirtualTime(async (world) => {
      const { context } = await talk(world, { closedAfter: Infinity })
      const from = world.clock.now()
      const closing = context.scope.close().then(() => world.clock.now() - from)
      await world.clock.elapse(5_000)
      const took = await closing
      expect(took).toBeGreaterThanOrEqual(2_000)
      expect(took).toBeLessThan(2_200)
      expect(context.connections).toMatchObject([{ how: 'closed' }])
    }))

  it("has the user's last words", () =>
    inVirtualTime(async (world) => {
      const { server, log, context } = await talk(world, {
        answers: [LONG],
        firstAfter: 5_000,
        transcriptAfter: 300,
        closedAfter: 500,
      })
      server.hear('goodbye')
      const closing = context.scope.close()
      await world.clock.elapse(1_000)
      await closing
      expect(log).toContain('final goodbye')
    }))

  it('[LK2] that has expired carries the conversation over to a new session', () =>
    inVirtualTime(async (world) => {
      const { server, model, log, usage, context } = await talk(world, {
        answers: ['Good morning.', [callTool('find', {}, 'a')], 'At nine.'],
        setup: { messages: [{ role: 'agent', text: 'Hello.' }] },
      })
      server.hear('good morning')
      await world.clock.elapse(3_000)
      model.respond()
      await world.clock.elapse(11_000)
      server.end('expired')
      await world.clock.elapse(2_000)
      expect(server.sessions.length).toBe(2)
      expect(inputOf(server.open[0]?.config?.input)).toEqual([
        'assistant: Hello.',
        'user: good morning',
        'assistant: Good morning.',
      ])
      // The new session does not know the call.
      model.toolResult('a', 'nine', false)
      model.respond()
      await world.clock.elapse(3_000)
      expect(server.open[0]?.timeline.slice(0, 2)).toEqual([
        'thinking: The tool find returned: nine',
        'commentary: Answer the user now.',
      ])
      expect(log.slice(-2)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
      // The end of a healthy session costs no retry.
      expect(context.connections).toMatchObject([{ how: 'acknowledged', retries: 0 }])
      const seconds = usage.reduce((sum, { audioSeconds = 0 }) => sum + audioSeconds, 0)
      expect(seconds).toBeGreaterThan(18)
      expect(seconds).toBeLessThan(19.1)
    }))

  it('[LK8] is anticipated: the conversation moves before the session expires', () =>
    inVirtualTime(async (world) => {
      const { server, log, context } = await talk(world, { answers: ['Yes.'], lifetime: 600_000 })
      server.hear('is there a slot')
      await world.clock.elapse(599_000)
      expect(server.sessions.length).toBe(2)
      expect(log).toEqual(['user starts', 'user stops', 'final is there a slot', 'answer', 'completed'])
      expect(inputOf(server.open[0]?.config?.input)).toEqual(['user: is there a slot', 'assistant: Yes.'])
      await context.scope.close()
    }))

  it('[LK2] for its content is fatal', () =>
    inVirtualTime(async (world) => {
      const { server, log, context } = await talk(world)
      server.end('content')
      await world.clock.elapse(10_000)
      expect(server.dials.length).toBe(1)
      expect(log).toEqual([expect.stringMatching(/^failed .*content/)])
      await context.scope.close()
    }))

  it.each(['connection_lost', 'remote_hangup', 'close_requested'] as const)(
    '[LK2] that was not asked for is a drop, and what was in progress is repeated: %s',
    (reason) =>
      inVirtualTime(async (world) => {
        const { server, model, log, context } = await talk(world, {
          answers: [LONG, 'Yes.'],
          firstAfter: 500,
        })
        server.hear('is there a slot')
        await world.clock.elapse(1_000)
        server.end(reason)
        await world.clock.elapse(3_000)
        expect(log).toEqual([
          'user starts',
          'user stops',
          'final is there a slot',
          'answer',
          'failed: openai failed: the connection broke in the middle of an answer. Try again later, or configure a fallback',
        ])
        expect(server.sessions.length).toBe(2)
        server.drop()
        model.respond('Greet the caller.')
        await world.clock.elapse(5_000)
        expect(log.slice(5)).toEqual(['answer, asked', 'completed'])
        await context.scope.close()
      }),
  )

  it('in the middle of a turn makes the next session answer it', () =>
    inVirtualTime(async (world) => {
      const { server, log, context } = await talk(world, {
        answers: [LONG, 'Yes.'],
        firstAfter: 1_000,
      })
      server.hear('is there a slot')
      await world.clock.elapse(200)
      server.drop()
      await world.clock.elapse(5_000)
      expect(inputOf(server.open[0]?.config?.input)).toEqual(['user: is there a slot'])
      expect(log).toEqual(['user starts', 'user stops', 'final is there a slot', 'answer', 'completed'])
      await context.scope.close()
    }))
})
