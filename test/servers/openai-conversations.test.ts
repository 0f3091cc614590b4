import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../src/testing/index.ts'
import { connect, create, eventsOf, open, userText } from './openai-fixture.ts'

describe('a conversation on the OpenAI server', () => {
  it('can be truncated to what was heard, but not beyond its end', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Good morning to you.'], speed: Infinity })
      client.say({ type: 'response.create' })
      await world.clock.elapse(100)
      const item_id = server.conversation[0]!.id
      const truncate = { type: 'conversation.item.truncate', item_id, content_index: 0 }
      client.say({ ...truncate, audio_end_ms: 1001 }, { ...truncate, audio_end_ms: 620 })
      client.say({ ...truncate, audio_end_ms: 1000 }, { ...truncate, item_id: 'nobody', audio_end_ms: 0 })
      await world.clock.elapse(10)
      expect(client.log.slice(-4)).toEqual([
        'error invalid_value',
        'conversation.item.truncated',
        'error invalid_value',
        'error item_truncate_invalid_item_id',
      ])
      expect(
        eventsOf(client, 'error')
          .map(({ error }) => error.message)
          .slice(0, 2),
      ).toEqual([
        'Audio content of 1000ms is already shorter than 1001ms',
        'Audio content of 620ms is already shorter than 1000ms',
      ])
      expect(server.transcript).toEqual(['assistant: Good morning'])
      client.socket.abort()
    }))

  it('has items in the order the client wants, each id once', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world)
      client.say(create(userText('two', 'b')), create(userText('one', 'a'), 'root'))
      client.say(create(userText('one and a half', 'c'), 'a'), create(userText('again', 'a')))
      client.say(create(userText('nowhere'), 'nobody'), create(userText('long', 'x'.repeat(33))))
      client.say({ type: 'conversation.item.delete', item_id: 'b' })
      client.say({ type: 'conversation.item.delete', item_id: 'b' })
      client.say({ type: 'conversation.item.retrieve', item_id: 'c' })
      await world.clock.elapse(10)
      expect(server.transcript).toEqual(['user: one', 'user: one and a half'])
      expect(client.log.slice(7)).toEqual([
        'error invalid_value',
        'error item_create_invalid_previous_item_id',
        'error string_above_max_length',
        'conversation.item.deleted',
        'error item_delete_invalid_item_id',
        'conversation.item.retrieved',
      ])
      expect(eventsOf(client, 'conversation.item.added').map((event) => event.previous_item_id)).toEqual([
        null,
        null,
        'a',
      ])
      client.socket.abort()
    }))

  it('can be replayed into a new session as text', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Good morning.', 'As I said.'] })
      client.say(create(userText('hello')), { type: 'response.create' })
      await world.clock.elapse(1000)
      server.drop()
      const next = await connect(world)
      const assistant = { type: 'message', role: 'assistant' }
      next.say(create(userText('hello')))
      next.say(create({ ...assistant, content: [{ type: 'output_audio', transcript: 'Good morning.' }] }))
      next.say(create({ ...assistant, content: [{ type: 'output_text', text: 'Good morning.' }] }))
      await world.clock.elapse(10)
      expect(next.log).toContain('error invalid_value')
      expect(server.sessions).toHaveLength(2)
      expect(server.transcript).toEqual(['user: hello', 'assistant: Good morning.'])
      next.say({ type: 'response.create' })
      await world.clock.elapse(1000)
      expect(server.transcript.at(-1)).toBe('assistant: As I said.')
      const ids = server.sessions.flatMap(({ conversation }) => conversation.items.map(({ id }) => id))
      expect(new Set(ids).size).toBe(ids.length)
      next.socket.abort()
    }))
})
