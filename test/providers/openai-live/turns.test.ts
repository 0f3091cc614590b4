import { describe, expect, it } from 'vitest'
import { OpenAILive } from '../../../src/providers/openai/index.ts'
import { callTool, inVirtualTime, soundOf } from '../../../src/testing/index.ts'
import { OpenAILiveServer } from '../../../src/testing/servers/index.ts'
import { find as findTool, realtimeCall } from '../realtime-call.ts'
import { KEY, find, talk } from './fixture.ts'

const LONG = 'Good morning to you and to all of your friends.'

describe('an answer of GPT-Live', () => {
  it('begins with the first output and ends 600 ms after the last', () =>
    inVirtualTime(async (world) => {
      const { server, log, said, context } = await talk(world, { answers: ['Yes, of course.'] })
      server.hear('is there a slot')
      // 15 characters of 50 ms.
      await world.clock.elapse(1_200)
      expect(log).toEqual(['user starts', 'user stops', 'final is there a slot', 'answer'])
      await world.clock.elapse(150)
      expect(log.slice(4)).toEqual(['completed'])
      expect(said()).toBe('Yes, of course.')
      await context.scope.close()
    }))

  it('goes on after a short pause, and is another one after a long pause', () =>
    inVirtualTime(async (world) => {
      const { model, log, context } = await talk(world, {
        answers: [['One. ', { wait: 400 }, 'Two. ', { wait: 900 }, 'Three.']],
      })
      model.respond()
      await world.clock.elapse(4_000)
      expect(log).toEqual(['answer, asked', 'completed', 'answer', 'completed'])
      await context.scope.close()
    }))

  it('has the silence within it, and not the silence around it', () =>
    inVirtualTime(async (world) => {
      const { model, log, sound, context } = await talk(world, { answers: ['Yes.'], sendsSilence: true })
      await world.clock.elapse(5_000)
      expect(log).toEqual([])
      model.respond()
      await world.clock.elapse(5_000)
      expect(log).toEqual(['answer, asked', 'completed'])
      expect(sound()).toBeGreaterThanOrEqual(200)
      expect(sound()).toBeLessThanOrEqual(200 + 700)
      await context.scope.close()
    }))

  it('that was requested and does not begin fails after answerTimeout, and the next one is requested', () =>
    inVirtualTime(async (world) => {
      const { model, log, sends, context } = await talk(world, {
        ignoresCommentary: true,
        live: { answerTimeout: 3_000 },
      })
      model.respond('Greet the caller.')
      model.respond('Say goodbye.')
      await world.clock.elapse(2_900)
      expect(log).toEqual([])
      await world.clock.elapse(200)
      expect(log).toEqual(['answer, asked', expect.stringMatching(/^failed: .*3/)])
      sends({ type: 'session.output_transcript.delta', delta: 'Goodbye.', start_ms: 0, end_ms: 1 })
      await world.clock.elapse(1_000)
      expect(log.slice(2)).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))

  it('that the service refuses fails at once', () =>
    inVirtualTime(async (world) => {
      const { model, log, sent, sends, context } = await talk(world, { ignoresCommentary: true })
      model.respond()
      await world.clock.elapse(100)
      const { event_id } = sent().at(-1) as { event_id: string }
      sends({ type: 'error', error: { code: 'fixture_active', message: 'busy', client_event_id: event_id } })
      await world.clock.elapse(100)
      expect(log).toEqual(['answer, asked', 'failed: openai failed: busy'])
      await context.scope.close()
    }))

  it('that was interrupted is dropped until the next gap, and the model is told what was heard', () =>
    inVirtualTime(async (world) => {
      const { model, answers, log, said, server, sends, context } = await talk(world, {
        answers: [LONG, 'Yes.'],
      })
      model.respond()
      await world.clock.elapse(1_010)
      model.interrupt(answers[0]!, 500)
      const before = said()
      model.respond()
      await world.clock.elapse(1_000)
      // The model cannot be stopped. The next request waits for the end of its speech.
      expect(log).toEqual(['answer, asked', 'cancelled'])
      expect(said()).toBe(before)
      expect(server.open[0]?.timeline.filter((line) => line.startsWith('thinking'))).toEqual([
        'thinking: Your last answer was interrupted. The user has heard only this: Good mornin',
      ])
      await world.clock.elapse(4_000)
      expect(log.slice(2)).toEqual(['answer, asked', 'completed'])
      // All of it was heard.
      model.interrupt(answers[1]!, 10_000)
      sends({ type: 'session.output_audio.delta', delta: '' })
      await world.clock.elapse(100)
      expect(server.open[0]?.timeline.filter((line) => line.startsWith('thinking'))).toHaveLength(1)
      await context.scope.close()
    }))

  it('with tools continues by response.create once the results are there', () =>
    inVirtualTime(async (world) => {
      const { model, log, sent, usage, context } = await talk(world, {
        answers: [['Let me see. ', callTool('find', {}, 'a'), callTool('find', {}, 'b')], 'At nine.'],
      })
      model.respond()
      await world.clock.elapse(2_000)
      expect(log).toEqual(['answer, asked', 'call find {}', 'call find {}', 'completed'])
      model.toolResult('a', 'nine', false)
      model.toolResult('a', 'nine again', false)
      model.toolResult('b', 'no idea', true)
      model.respond()
      await world.clock.elapse(2_000)
      expect(log.slice(4)).toEqual(['answer, asked', 'completed'])
      expect(sent().slice(2)).toEqual([
        {
          type: 'response.item.create',
          item: { type: 'function_call_output', call_id: 'a', output: 'nine' },
        },
        {
          type: 'response.item.create',
          item: { type: 'function_call_output', call_id: 'b', output: 'Error: no idea' },
        },
        { type: 'response.create', event_id: expect.any(String) as string },
      ])
      expect(usage).toContainEqual({ inputTokens: 10, outputTokens: 5 })
      await context.scope.close()
    }))
})

describe("a user's turn with GPT-Live", () => {
  it('keeps words that are transcribed late with their question', () =>
    inVirtualTime(async (world) => {
      const { server, log, context } = await talk(world, { answers: [LONG], transcriptAfter: 300 })
      server.hear('is there a slot')
      await world.clock.elapse(5_000)
      expect(log).toEqual(['answer', 'completed', 'final is there a slot'])
      await context.scope.close()
    }))

  it('begins before an answer to a voice that was heard, although its transcript is late', () =>
    inVirtualTime(async (world) => {
      const { server, model, log, context } = await talk(world, { answers: [LONG], transcriptAfter: 1_500 })
      const { samples, sampleRate } = soundOf('is there a slot on Monday morning', 24_000, 50)
      for (let at = 0; at < samples.length; at += 480)
        model.push({ samples: samples.subarray(at, at + 480), sampleRate })
      model.push({ samples: new Int16Array(24_000), sampleRate })
      await world.clock.elapse(6_000)
      expect(log.slice(0, 3)).toEqual(['user starts', 'user stops', 'answer'])
      expect(log.filter((line) => line.startsWith('final'))).toEqual([
        'final is there a slot on Monday morning',
      ])
      expect(server.sessions.length).toBe(1)
      await context.scope.close()
    }))

  it('that begins during an answer is a turn of its own', () =>
    inVirtualTime(async (world) => {
      const { server, log, context } = await talk(world, { answers: [LONG, 'Yes.'], firstAfter: 700 })
      server.hear('good morning')
      await world.clock.elapse(1_500)
      server.hear('wait please')
      await world.clock.elapse(3_000)
      expect(log).toEqual([
        'user starts',
        'user stops',
        'final good morning',
        'answer',
        'user starts',
        'completed',
        'user stops',
        'final wait please',
        'answer',
        'completed',
      ])
      await context.scope.close()
    }))
})

describe('another agent on GPT-Live', () => {
  it('gets its instructions in pieces that the service takes, and its tools by session.update', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, warnings, context } = await talk(world)
      const instructions = 'You sell flowers, and nothing else. '.repeat(100).trim()
      model.update({ instructions, tools: [find] })
      await world.clock.elapse(100)
      expect(server.open[0]?.config?.delegation?.responses).toMatchObject({
        model: 'gpt-5.4-mini',
        instructions,
        tools: [{ name: 'find' }],
      })
      const appended = server.open[0]!.timeline.map((line) => line.replace('instructions: ', ''))
      expect(appended.length).toBeGreaterThan(2)
      expect(appended.join('')).toBe(
        `From now on, follow these instructions in place of all others: ${instructions}`,
      )
      expect(warnings).toEqual([])
      const before = sent().length
      model.update({ instructions, tools: [] })
      await world.clock.elapse(100)
      expect(sent().slice(before)).toMatchObject([{ type: 'session.update' }])
      await context.scope.close()
    }))
})

describe('a call with GPT-Live', () => {
  it('is answered, is interrupted, calls tools, and ends with a confirmation', () =>
    inVirtualTime(async (world) => {
      const { clock, network } = world
      const server = new OpenAILiveServer({ clock, apiKey: KEY, sendsSilence: true })
      network.serve = server.serve
      server.answers(LONG, [callTool('find', {}, 'a')], 'At nine.')
      const { session, caller, log } = realtimeCall(world, new OpenAILive({ apiKey: KEY }), {
        agent: { tools: { find: findTool(() => 'nine') } },
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
      const closing = session.close()
      await clock.elapse(1_000)
      const { errors, usage, connections } = await closing
      expect(log).toEqual([
        'user: good morning',
        expect.stringMatching(/^agent interrupted: Good/),
        'user: is there a slot',
        'find: nine',
        'agent played: At nine.',
        'closed: requested',
      ])
      expect(errors).toEqual([])
      expect(usage.audioSeconds).toBeGreaterThan(8)
      expect(connections.slice(1)).toMatchObject([{ name: 'openai', how: 'acknowledged' }])
      expect(server.open).toEqual([])
    }))
})
