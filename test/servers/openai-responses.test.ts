import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime } from '../../src/testing/index.ts'
import type { OpenAITurn } from '../../src/testing/servers/index.ts'
import { create, eventsOf, open, quiet, update, userText, voiceOf, words } from './openai-fixture.ts'

describe('a response of the OpenAI server', () => {
  it('is sent faster than real time, as `speed` says', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, {
        answers: ['A whole sentence of it.'],
        speed: 2,
        firstAfter: 300,
      })
      client.say({ type: 'response.create' })
      await world.clock.elapse(300)
      expect(voiceOf(client)).toBe('')
      await world.clock.elapse(310)
      expect(voiceOf(client)).toBe('A whole senten')
      await world.clock.elapse(1000)
      expect(voiceOf(client)).toBe('A whole sentence of it.')
      client.socket.abort()
    }))

  it('cannot run beside another, and cannot be cancelled once it has ended', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Good morning.'] })
      client.say({ type: 'response.create' }, { type: 'response.create', event_id: 'second' })
      await world.clock.elapse(10)
      expect(client.log.at(-1)).toBe('error conversation_already_has_active_response')
      expect(eventsOf(client, 'error')[0]?.error.event_id).toBe('second')
      await world.clock.elapse(1000)
      client.say({ type: 'response.cancel' })
      await world.clock.elapse(10)
      expect(client.log.slice(-2)).toEqual(['response.done completed', 'error response_cancel_not_active'])
      client.socket.abort()
    }))

  it("is cancelled by the client, and by the user's voice", () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Good morning to you.', 'And so on and on.'] })
      client.say({ type: 'response.create' })
      await world.clock.elapse(100)
      client.say({ type: 'response.cancel' })
      await world.clock.elapse(10)
      expect(client.log.slice(-2)).toEqual([
        'response.output_item.done',
        'response.done cancelled client_cancelled',
      ])
      expect(server.conversation[0]?.status).toBe('incomplete')
      client.say({ type: 'response.create' })
      await world.clock.elapse(100)
      client.say(words('stop'))
      await world.clock.elapse(10)
      expect(client.log.at(-1)).toBe('response.done cancelled turn_detected')
      const before = client.messages.length
      await world.clock.elapse(5000)
      expect(client.messages).toHaveLength(before)
      client.socket.abort()
    }))

  it('continues while the user speaks if interrupt_response is false', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Good morning to you.'] })
      const turn_detection = { type: 'server_vad', interrupt_response: false, create_response: false }
      client.say(update({ audio: { input: { turn_detection } } }), { type: 'response.create' })
      await world.clock.elapse(100)
      client.say(words('stop'), quiet(600))
      await world.clock.elapse(1000)
      expect(client.log).toContain('input_audio_buffer.speech_stopped')
      expect(client.log.at(-1)).toBe('response.done completed')
      client.socket.abort()
    }))

  it('calls tools, and the next response uses their outputs', () =>
    inVirtualTime(async (world) => {
      const turns: OpenAITurn[] = []
      const answers = (turn: OpenAITurn, index: number): string | readonly (string | { call: string })[] => {
        turns.push(turn)
        return index === 0 ? ['One moment. ', callTool('weather', { city: 'Rome' })] : 'Sunny.'
      }
      const { client, server } = await open(world, { answers })
      client.say(create(userText('How is the weather?')), { type: 'response.create' })
      await world.clock.elapse(1000)
      const call = eventsOf(client, 'response.output_item.done')[1]?.item
      expect(call).toMatchObject({
        type: 'function_call',
        status: 'completed',
        call_id: 'call-1',
        name: 'weather',
        arguments: '{"city":"Rome"}',
      })
      client.say(create({ type: 'function_call_output', call_id: 'call-1', output: 'sun' }))
      client.say(create({ type: 'function_call_output', call_id: 'call-9', output: 'rain' }))
      client.say({ type: 'response.create' })
      await world.clock.elapse(1000)
      expect(client.log).toContain('error invalid_tool_call_id')
      expect(server.transcript).toEqual([
        'user: How is the weather?',
        'assistant: One moment. ',
        'function_call: weather({"city":"Rome"})',
        'function_call_output: sun',
        'assistant: Sunny.',
      ])
      expect(turns.map(({ user, results }) => [user, results])).toEqual([
        ['How is the weather?', []],
        ['', [{ id: 'call-1', output: 'sun' }]],
      ])
      client.socket.abort()
    }))

  it('can be out of band: beside others, from its own input, and not part of the conversation', () =>
    inVirtualTime(async (world) => {
      const answers = ({ user }: OpenAITurn): string => `You said ${user}.`
      const { client, server } = await open(world, { answers })
      client.say(create(userText('hello', 'first')), { type: 'response.create' })
      const outOfBand = (input: readonly object[], name: string): object => ({
        type: 'response.create',
        response: { conversation: 'none', input, output_modalities: ['text'], metadata: { name } },
      })
      client.say(
        outOfBand([userText('aside')], 'a'),
        outOfBand([{ type: 'item_reference', id: 'first' }], 'b'),
      )
      await world.clock.elapse(2000)
      expect(server.transcript).toEqual(['user: hello', 'assistant: You said hello.'])
      const done = eventsOf(client, 'response.done').map(({ response }) => response)
      const named = (name: string) => done.find(({ metadata }) => metadata?.['name'] === name)
      expect(named('a')).toMatchObject({ conversation_id: null, status: 'completed' })
      expect(eventsOf(client, 'response.output_text.done').map(({ text }) => text)).toEqual([
        'You said aside.',
        'You said hello.',
      ])
      const added = eventsOf(client, 'conversation.item.added')
      expect(added).toHaveLength(2)
      client.socket.abort()
    }))

  it('is cancelled by its id if it is out of band', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Good morning to you.'] })
      client.say({ type: 'response.create', response: { conversation: 'none' } })
      await world.clock.elapse(100)
      client.say({ type: 'response.cancel' })
      client.say({
        type: 'response.cancel',
        response_id: eventsOf(client, 'response.created')[0]!.response.id,
      })
      await world.clock.elapse(10)
      expect(client.log).toContain('error response_cancel_not_active')
      expect(client.log.at(-1)).toBe('response.done cancelled client_cancelled')
      client.socket.abort()
    }))

  it('is text without audio if the client asks for that', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Good morning.'] })
      client.say({ type: 'response.create', response: { output_modalities: ['text'] } })
      await world.clock.elapse(100)
      expect(eventsOf(client, 'response.output_text.done')[0]?.text).toBe('Good morning.')
      expect(voiceOf(client)).toBe('')
      client.socket.abort()
    }))

  it('reports its usage and its failure', () =>
    inVirtualTime(async (world) => {
      const usage = { inputTokens: 100, outputTokens: 20 }
      const answers = [
        ['Hm. ', { type: 'usage', usage }] as const,
        ['Hm. ', { fail: new Error('overloaded') }] as const,
      ]
      const { client } = await open(world, { answers })
      client.say({ type: 'response.create' })
      await world.clock.elapse(500)
      client.say({ type: 'response.create' })
      await world.clock.elapse(500)
      // The script has no third answer, which is a failure, too.
      client.say({ type: 'response.create' })
      await world.clock.elapse(500)
      const [first, second, third] = eventsOf(client, 'response.done').map(({ response }) => response)
      expect(first?.usage).toMatchObject({ input_tokens: 100, output_tokens: 20, total_tokens: 120 })
      expect(second).toMatchObject({ status: 'failed', status_details: { error: { message: 'overloaded' } } })
      expect(second?.usage?.output_token_details.audio_tokens).toBe(4)
      expect(third?.status).toBe('failed')
      client.socket.abort()
    }))
})

describe('an answer of the OpenAI server that is ready too late', () => {
  it('is not sent after the connection broke, and leaves no timer behind', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, {
        answers: () => world.clock.elapse(500, 'thinks').then(() => 'Good morning.'),
        firstAfter: 100,
      })
      client.say({ type: 'response.create' })
      await world.clock.elapse(100)
      server.drop()
      await world.clock.elapse(500)
      expect(world.clock.outside.list().map(({ name }) => name)).toEqual([])
    }))

  it('is not sent after it was cancelled', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, {
        answers: () => world.clock.elapse(500, 'thinks').then(() => 'Good morning.'),
      })
      client.say({ type: 'response.create' })
      await world.clock.elapse(100)
      client.say({ type: 'response.cancel' })
      await world.clock.elapse(1000)
      expect(client.log.slice(1)).toEqual(['response.created', 'response.done cancelled client_cancelled'])
      expect(server.conversation).toEqual([])
      client.socket.abort()
    }))
})
