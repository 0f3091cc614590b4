import { describe, expect, it } from 'vitest'
import { silence } from '../../../src/audio/index.ts'
import { callTool, inVirtualTime, soundOf } from '../../../src/testing/index.ts'
import { milestones, talk, typesOf } from './fixture.ts'

describe('a conversation with OpenAI Realtime', () => {
  it("emits the user's words and the answer", () =>
    inVirtualTime(async (world) => {
      const usage = { type: 'usage', usage: { inputTokens: 90, outputTokens: 12, cachedTokens: 64 } } as const
      const { model, context, log, heard, answers } = await talk(world, {
        answers: [['Good morning.', usage]],
      })
      model.push(soundOf('hello there', 24_000, 50))
      model.push(silence(600, 24_000))
      await world.clock.elapse(2_000)
      expect(log).toEqual([
        'user starts',
        'user stops',
        'answer',
        'text Good morning.',
        'interim hello',
        'interim hello there',
        'final hello there',
        'usage 90 12 64',
        'completed',
      ])
      expect(heard(answers[0]!)).toBe('Good morning.')
      await context.scope.close()
    }))

  it('with manual turns commits them, and answers only on request', () =>
    inVirtualTime(async (world) => {
      const { model, context, log, sent } = await talk(world, {
        answers: ['Yes.'],
        setup: { takesTurns: false },
      })
      model.commit()
      model.push(soundOf('are you there', 24_000, 50))
      model.commit()
      await world.clock.elapse(1_000)
      expect(milestones(log)).toEqual(['final are you there'])
      model.respond()
      await world.clock.elapse(1_000)
      expect(milestones(log)).toEqual(['final are you there', 'answer, asked', 'completed'])
      // The first commit had no audio, so it was not sent.
      expect(typesOf(sent())).toEqual(['session.update', 'input_audio_buffer.commit', 'response.create'])
      await context.scope.close()
    }))

  it("adds the instructions of one answer to the agent's", () =>
    inVirtualTime(async (world) => {
      const { model, context, sent } = await talk(world, { answers: ['Hello.', 'Bye.'] })
      model.respond('Greet the caller.')
      model.respond()
      await world.clock.elapse(3_000)
      const requests = sent().flatMap((event) => (event.type === 'response.create' ? [event.response] : []))
      expect(requests).toEqual([
        { instructions: 'Be brief.\n\nGreet the caller.', metadata: { request: 'request-1' } },
        { metadata: { request: 'request-2' } },
      ])
      await context.scope.close()
    }))

  it("emits the user's turns in the order of speaking, even if the service does not", () =>
    inVirtualTime(async (world) => {
      const { server, context, log } = await talk(world, { transcriptionAfter: 60_000, answers: () => [] })
      server.hear('one')
      server.hear('two')
      await world.clock.elapse(100)
      const items = server.conversation.filter((item) => item.type === 'message' && item.role === 'user')
      const [session] = server.open
      const words = (index: number, kind: string, text: object): void =>
        session!.connection.send(
          JSON.stringify({
            type: `conversation.item.input_audio_transcription.${kind}`,
            item_id: items[index]!.id,
            ...text,
          }),
        )
      words(1, 'delta', { delta: 'tw' })
      words(1, 'completed', { transcript: 'two' })
      words(0, 'delta', { delta: 'on' })
      words(0, 'failed', { error: { code: 'busy' } })
      await world.clock.elapse(100)
      expect(log.filter((line) => /^(interim|final)/.test(line))).toEqual([
        'interim on',
        'final on',
        'final two',
      ])
      await context.scope.close()
    }))

  it('sends a tool result once, without requesting an answer', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, log, warnings } = await talk(world, {
        answers: [['One moment. ', callTool('find', '{"day":')], 'At nine.'],
      })
      model.respond()
      await world.clock.elapse(2_000)
      expect(log).toContain('call call-1 find {"day":')
      model.toolResult('call-1', 'nine', false)
      model.toolResult('call-1', 'ten', false)
      model.toolResult('call-8', 'eleven', false)
      await world.clock.elapse(2_000)
      expect(server.transcript).toEqual([
        'assistant: One moment. ',
        'function_call: find({"day":)',
        'function_call_output: nine',
      ])
      model.respond()
      await world.clock.elapse(2_000)
      expect(server.transcript.at(-1)).toBe('assistant: At nine.')
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('changes the agent by session.update', () =>
    inVirtualTime(async (world) => {
      const { model, server, context } = await talk(world)
      model.update({ instructions: 'Do the bills.', tools: [] })
      await world.clock.elapse(10)
      expect(server.open[0]?.settings).toMatchObject({
        instructions: 'Do the bills.',
        tools: [],
        audio: { output: { voice: 'marin' } },
      })
      await context.scope.close()
    }))

  it('fails an answer that the service fails, and continues with the next', () =>
    inVirtualTime(async (world) => {
      const { model, context, log } = await talk(world, {
        answers: [[{ fail: new Error('overloaded') }], 'Hello.'],
      })
      model.respond()
      model.respond()
      await world.clock.elapse(2_000)
      expect(milestones(log)).toEqual([
        'answer, asked',
        'failed: openai failed: server_error: overloaded. Try again later, or configure a fallback',
        'answer, asked',
        'completed',
      ])
      await context.scope.close()
    }))

  it('ignores unknown events and missing fields', () =>
    inVirtualTime(async (world) => {
      const { server, context, log, model } = await talk(world, { answers: ['Yes.'] })
      const { connection } = server.open[0]!
      for (const type of [
        'session.created',
        'error',
        'response.created',
        'response.done',
        'response.output_item.added',
        'response.output_item.done',
        'response.output_audio.delta',
        'response.mcp_call.in_progress',
        'conversation.item.input_audio_transcription.segment',
        'something.new',
        undefined,
      ])
        connection.send(JSON.stringify({ type }))
      connection.send('{}')
      await world.clock.elapse(10)
      const before = log.length
      model.respond()
      await world.clock.elapse(1_000)
      expect(milestones(log.slice(before))).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))
})
