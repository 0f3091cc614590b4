import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { silence } from '../../src/audio/index.ts'
import { callTool, inVirtualTime, soundOf } from '../../src/testing/index.ts'
import { plot, refusal, talk, typesOf } from './openai-fixture.ts'

describe('a conversation with OpenAI Realtime', () => {
  it('tells what the user says, and the answer to it', () =>
    inVirtualTime(async (world) => {
      const usage = { type: 'usage', usage: { inputTokens: 90, outputTokens: 12, cachedTokens: 64 } } as const
      const { model, context, told, heard, answers } = await talk(world, {
        answers: [['Good morning.', usage]],
      })
      model.push(soundOf('hello there', 24_000, 50))
      model.push(silence(600, 24_000))
      await world.clock.elapse(2_000)
      expect(told).toEqual([
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

  it('commits turns that are taken by hand, and answers only when it is asked', () =>
    inVirtualTime(async (world) => {
      const { model, context, told, sent } = await talk(world, {
        answers: ['Yes.'],
        setup: { takesTurns: false },
      })
      model.commit()
      model.push(soundOf('are you there', 24_000, 50))
      model.commit()
      await world.clock.elapse(1_000)
      expect(plot(told)).toEqual(['final are you there'])
      model.respond()
      await world.clock.elapse(1_000)
      expect(plot(told)).toEqual(['final are you there', 'answer, asked', 'completed'])
      // There was nothing to be committed the first time.
      expect(typesOf(sent())).toEqual(['session.update', 'input_audio_buffer.commit', 'response.create'])
      await context.scope.close()
    }))

  it("adds the instructions of one answer to the agent's", () =>
    inVirtualTime(async (world) => {
      const { model, context, sent } = await talk(world, { answers: ['Hello.', 'Bye.'] })
      model.respond('Greet the caller.')
      model.respond()
      await world.clock.elapse(3_000)
      const asks = sent().flatMap((event) => (event.type === 'response.create' ? [event.response] : []))
      expect(asks).toEqual([
        { instructions: 'Be brief.\n\nGreet the caller.', metadata: { ask: 'ask-1' } },
        { metadata: { ask: 'ask-2' } },
      ])
      await context.scope.close()
    }))

  it('tells the words of turns in the order of speaking, also if the service does not', () =>
    inVirtualTime(async (world) => {
      const { server, context, told } = await talk(world, { transcriptionAfter: 60_000, answers: () => [] })
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
      expect(told.filter((line) => /^(interim|final)/.test(line))).toEqual([
        'interim on',
        'final on',
        'final two',
      ])
      await context.scope.close()
    }))

  it('gives a result to the model, once, and does not ask for an answer', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told, warnings } = await talk(world, {
        answers: [['One moment. ', callTool('find', '{"day":')], 'At nine.'],
      })
      model.respond()
      await world.clock.elapse(2_000)
      expect(told).toContain('call call-1 find {"day":')
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

  it('tells the service of another agent by session.update', () =>
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

  it('fails an answer that the service fails, and goes on', () =>
    inVirtualTime(async (world) => {
      const { model, context, told } = await talk(world, {
        answers: [[{ fail: new Error('overloaded') }], 'Hello.'],
      })
      model.respond()
      model.respond()
      await world.clock.elapse(2_000)
      expect(plot(told)).toEqual([
        'answer, asked',
        'failed: openai failed: server_error',
        'answer, asked',
        'completed',
      ])
      await context.scope.close()
    }))

  it('passes over what it does not know, and what is missing', () =>
    inVirtualTime(async (world) => {
      const { server, context, told, model } = await talk(world, { answers: ['Yes.'] })
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
      const before = told.length
      model.respond()
      await world.clock.elapse(1_000)
      expect(plot(told.slice(before))).toEqual(['answer, asked', 'completed'])
      await context.scope.close()
    }))
})

describe('one answer at a time', () => {
  it('asks again for an answer that was refused because the model had begun one by itself', () =>
    inVirtualTime(async (world) => {
      const { model, server, context, told, sent } = await talk(world, {
        answers: ['By myself.', 'As you asked.'],
      })
      // The service has begun by itself when the ask comes, and we do not know it yet.
      server.hear('hello')
      model.respond()
      await world.clock.elapse(5_000)
      expect(plot(told)).toEqual([
        'user starts',
        'user stops',
        'answer',
        'final hello',
        'completed',
        'answer, asked',
        'completed',
      ])
      expect(told.filter((line) => line.startsWith('text')).join('')).toBe(
        'text By text myself.text As text you text asked.',
      )
      expect(typesOf(sent())).toEqual(['session.update', 'response.create', 'response.create'])
      await context.scope.close()
    }))

  it('asks again a little later if nothing seems to be in the way, and not for ever', () =>
    inVirtualTime(async (world) => {
      const { model, context, told, warnings } = await talk(world, {
        answers: ['Hello.'],
        meddles: ({ type, event_id }, peer) => {
          if (type !== 'response.create' || event_id !== 'ask-1') return false
          peer.send(refusal('conversation_already_has_active_response'))
          return true
        },
      })
      model.respond()
      model.respond()
      await world.clock.elapse(5_000)
      expect(plot(told)).toEqual([
        'answer, asked',
        'failed: openai failed: Not so: conversation_already_has_active_response.',
        'answer, asked',
        'completed',
      ])
      expect(warnings).toEqual([])
      await context.scope.close()
    }))

  it('fails an ask that the service refuses, and goes on with the next', () =>
    inVirtualTime(async (world) => {
      const { model, context, told } = await talk(world, {
        answers: ['Hello.'],
        meddles: ({ event_id }, peer) => {
          if (event_id === 'ask-1') peer.send(refusal('invalid_value', 'ask-1'))
          return event_id === 'ask-1'
        },
      })
      model.respond()
      model.respond()
      await world.clock.elapse(2_000)
      expect(plot(told)).toEqual([
        'answer, asked',
        'failed: openai failed: Not so: invalid_value.',
        'answer, asked',
        'completed',
      ])
      await context.scope.close()
    }))

  it('does not wait for ever for an answer that the service owes', () =>
    inVirtualTime(async (world) => {
      const { model, context, told, sent } = await talk(world, {
        answers: ['Hello.'],
        meddles: ({ event_id }, peer) => {
          // It answers something, so the connection is not dead.
          if (event_id === 'ask-1') peer.send(JSON.stringify({ type: 'rate_limits.updated' }))
          return event_id === 'ask-1'
        },
      })
      model.respond()
      model.respond()
      await world.clock.elapse(12_000)
      expect(plot(told)).toEqual([
        'answer, asked',
        'failed: openai failed: it was not answered',
        'answer, asked',
        'completed',
      ])
      expect(typesOf(sent()).filter((type) => type === 'response.create')).toHaveLength(1)
      await context.scope.close()
    }))

  it('stops an answer that comes when nobody waits for it any more', () =>
    inVirtualTime(async (world) => {
      const { server, context, told, sent } = await talk(world)
      const { connection } = server.open[0]!
      const response = { id: 'late', metadata: { ask: 'ask-0' } }
      connection.send(JSON.stringify({ type: 'response.created', response }))
      await world.clock.elapse(10)
      expect(sent().at(-1)).toMatchObject({ type: 'response.cancel', response_id: 'late' })
      expect(told).toEqual([])
      await context.scope.close()
    }))

  it('does not wait for ever for an answer to stop', () =>
    inVirtualTime(async (world) => {
      const { model, context, told, answers } = await talk(world, {
        answers: [[{ stall: true }], 'Hello.'],
        meddles: ({ type }, peer) => {
          if (type === 'response.cancel') peer.send(JSON.stringify({ type: 'rate_limits.updated' }))
          return type === 'response.cancel'
        },
      })
      model.respond()
      await world.clock.elapse(100)
      model.interrupt(answers[0]!, 0)
      model.respond()
      await world.clock.elapse(10_000)
      // The service does not give up the first one, so the second cannot be had; but that is said.
      expect(plot(told)).toEqual([
        'answer, asked',
        'cancelled',
        'answer, asked',
        expect.stringMatching(/^failed: .*active response/),
      ])
      await context.scope.close()
    }))

  it('[SC18] refuses more asks than can be meant, in their turn', () =>
    inVirtualTime(async (world) => {
      const { model, context, told, answers } = await talk(world, { answers: () => 'Yes.', speed: Infinity })
      for (let i = 0; i < 35; i++) model.respond()
      expect(told).toEqual([])
      await world.clock.elapse(2_000)
      expect(plot(told).filter((line) => line.startsWith('failed'))).toHaveLength(2)
      expect(plot(told).at(-1)).toBe('failed: openai failed: too many answers were asked for')
      expect(answers).toHaveLength(35)
      await context.scope.close()
    }))

  it('logs an error that is about nothing in particular, with its code', () =>
    inVirtualTime(async (world) => {
      const { server, context, warnings, told } = await talk(world)
      server.fail('server_error', 'We had trouble with sk-abcdefghijkl.')
      await world.clock.elapse(10)
      expect(warnings).toMatchObject([{ fields: { code: 'server_error' } }])
      expect(inspect(warnings)).not.toContain('abcdefghijkl')
      expect(told).toEqual([])
      await context.scope.close()
    }))
})
