import { describe, expect, it } from 'vitest'
import { decodeMuLaw, encodeMuLaw, sine } from '../../src/audio/index.ts'
import { callTool, inVirtualTime } from '../../src/testing/index.ts'
import type { OpenAITurn } from '../../src/testing/servers/index.ts'
import {
  connect,
  create,
  eventsOf,
  manual,
  open,
  quiet,
  transcriptionUrl,
  update,
  userText,
  voiceOf,
  words,
} from './openai-fixture.ts'

const transcribed = update({ audio: { input: { transcription: { model: 'gpt-4o-transcribe' } } } })

describe('a turn with the OpenAI server', () => {
  it('is heard by its energy, transcribed, and answered with words and sound', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Good morning.'] })
      client.say(transcribed, words('hello there'), quiet(600))
      await world.clock.elapse(1000)
      expect(client.log).toEqual([
        'session.created',
        'session.updated',
        'input_audio_buffer.speech_started',
        'input_audio_buffer.speech_stopped',
        'input_audio_buffer.committed',
        'conversation.item.added',
        'conversation.item.done',
        'response.created',
        'response.output_item.added',
        'conversation.item.added',
        'response.content_part.added',
        'response.output_audio_transcript.delta',
        'conversation.item.input_audio_transcription.delta',
        'conversation.item.input_audio_transcription.delta',
        'transcript hello there',
        'response.output_audio_transcript.delta',
        'response.output_audio.done',
        'said Good morning.',
        'response.content_part.done',
        'conversation.item.done',
        'response.output_item.done',
        'response.done completed',
      ])
      expect(voiceOf(client)).toBe('Good morning.')
      expect(server.transcript).toEqual(['user: hello there', 'assistant: Good morning.'])
      client.socket.abort()
    }))

  it('has the times of the sound, whatever the clock says', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Yes.', 'No.'] })
      client.say(quiet(1000), words('one'), quiet(600), words('two'), quiet(600))
      await world.clock.elapse(1000)
      const started = eventsOf(client, 'input_audio_buffer.speech_started')
      const stopped = eventsOf(client, 'input_audio_buffer.speech_stopped')
      expect(started.map(({ audio_start_ms }) => audio_start_ms)).toEqual([700, 1450])
      expect(stopped.map(({ audio_end_ms }) => audio_end_ms)).toEqual([1650, 2400])
      const committed = eventsOf(client, 'input_audio_buffer.committed')
      expect(committed.map(({ item_id }) => item_id)).toEqual(started.map(({ item_id }) => item_id))
      expect(committed.map(({ item_id }) => item_id)).toEqual(stopped.map(({ item_id }) => item_id))
      client.socket.abort()
    }))

  it('waits longer for somebody who trails off, where turn detection is semantic', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Yes.', 'Yes.'] })
      client.say(
        update({ audio: { input: { turn_detection: { type: 'semantic_vad', eagerness: 'high' } } } }),
      )
      client.say(words('I would like um'), quiet(1900))
      await world.clock.elapse(100)
      expect(client.log).not.toContain('input_audio_buffer.speech_stopped')
      client.say(words(' a table'), quiet(310))
      await world.clock.elapse(100)
      expect(client.log).toContain('input_audio_buffer.speech_stopped')
      client.socket.abort()
    }))

  it('is what the client commits, where it takes the turns', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Yes.'] })
      client.say(manual, words('hello'), quiet(2000), { type: 'input_audio_buffer.commit' })
      await world.clock.elapse(100)
      expect(client.log.slice(2)).toEqual([
        'input_audio_buffer.committed',
        'conversation.item.added',
        'conversation.item.done',
      ])
      client.say({ type: 'response.create', response: { instructions: 'Be brief.' } })
      await world.clock.elapse(1000)
      expect(client.log.at(-1)).toBe('response.done completed')
      expect(server.transcript).toEqual(['user: hello', 'assistant: Yes.'])
      client.socket.abort()
    }))

  it('cannot be empty, and is forgotten when the buffer is cleared', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world)
      client.say(manual, quiet(90), { type: 'input_audio_buffer.commit', event_id: 'mine' })
      client.say(words('forget this'), { type: 'input_audio_buffer.clear' })
      client.say({ type: 'input_audio_buffer.commit' })
      await world.clock.elapse(100)
      expect(client.log.slice(2)).toEqual([
        'error input_audio_buffer_commit_empty',
        'input_audio_buffer.cleared',
        'error input_audio_buffer_commit_empty',
      ])
      expect(eventsOf(client, 'error').map(({ error }) => error.event_id)).toEqual(['mine', null])
      expect(server.conversation).toEqual([])
      client.socket.abort()
    }))

  it('can be put into its ear without a sound', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Yes.'] })
      server.hear('hello')
      await world.clock.elapse(1000)
      expect(server.transcript).toEqual(['user: hello', 'assistant: Yes.'])
      client.say(manual)
      await world.clock.elapse(10)
      server.hear('once more')
      client.say({ type: 'input_audio_buffer.commit' })
      await world.clock.elapse(10)
      expect(server.transcript.at(-1)).toBe('user: once more')
      client.socket.abort()
    }))

  it('may fail to be transcribed', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, {}, transcriptionUrl)
      server.transcriptionFails = true
      client.say(words('hello'), quiet(600))
      await world.clock.elapse(100)
      expect(client.log.at(-1)).toBe('conversation.item.input_audio_transcription.failed')
      client.socket.abort()
    }))

  it('is only transcribed in a transcription session', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, {}, transcriptionUrl)
      client.say({ type: 'session.update', session: { type: 'transcription', audio: { input: {} } } })
      client.say(words('hello there'), quiet(600), { type: 'response.create' })
      await world.clock.elapse(100)
      expect(client.log).toContain('transcript hello there')
      expect(client.log).toContain('error invalid_value')
      expect(client.log).not.toContain('response.created')
      expect(eventsOf(client, 'session.created')[0]?.session.type).toBe('transcription')
      client.socket.abort()
    }))

  it('can be in G.711 both ways, if the server is told what a sound says', () =>
    inVirtualTime(async (world) => {
      const turns: OpenAITurn[] = []
      const answers = (turn: OpenAITurn): string => {
        turns.push(turn)
        return 'Yes.'
      }
      const understands = (): string => 'a tone'
      const { client } = await open(world, { answers, understands })
      const format = { type: 'audio/pcmu' }
      client.say(update({ audio: { input: { format }, output: { format } } }))
      const tone = encodeMuLaw(sine(440, { duration: 500, sampleRate: 8000 }).samples)
      client.say({ type: 'input_audio_buffer.append', audio: Buffer.from(tone).toString('base64') })
      const nothing = encodeMuLaw(new Int16Array(8000))
      client.say({ type: 'input_audio_buffer.append', audio: Buffer.from(nothing).toString('base64') })
      await world.clock.elapse(1000)
      expect(turns[0]?.user).toBe('a tone')
      const deltas = eventsOf(client, 'response.output_audio.delta').map(({ delta }) => delta)
      const lengths = deltas.map((delta) => decodeMuLaw(Buffer.from(delta, 'base64')).length)
      expect(lengths).toEqual([800, 800])
      client.socket.abort()
    }))
})

describe('a response of the OpenAI server', () => {
  it('comes faster than it sounds, at the pace that was set', () =>
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

  it('is the only one, and is not there to be cancelled once it has ended', () =>
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

  it('is cancelled by the client, and by a user who speaks', () =>
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

  it('goes on when a user speaks, where it was set so', () =>
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

  it('calls tools, and answers by their outputs when it is asked to', () =>
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

  it('is text without sound where that was asked for', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Good morning.'] })
      client.say({ type: 'response.create', response: { output_modalities: ['text'] } })
      await world.clock.elapse(100)
      expect(eventsOf(client, 'response.output_text.done')[0]?.text).toBe('Good morning.')
      expect(voiceOf(client)).toBe('')
      client.socket.abort()
    }))

  it('says what it cost, and that it failed', () =>
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
      // The script is used up: that is a failure, too.
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

describe('an answer that is found too late', () => {
  it('is not given, and leaves nothing behind', () =>
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

  it('is not given after it was cancelled', () =>
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

describe('the conversation of the OpenAI server', () => {
  it('forgets what was not heard, and refuses to forget more than there is', () =>
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

  it('is made of items in the order the client wants, each of them once', () =>
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

  it('can be replayed into a new session, as text', () =>
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

describe('a session with the OpenAI server', () => {
  it('keeps what an update does not name, and refuses one of the other type', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world)
      client.say(update({ instructions: 'Be kind.', audio: { output: { voice: 'marin' } } }), transcribed)
      client.say(update({ audio: { input: { turn_detection: { type: 'semantic_vad' } } } }))
      client.say({ type: 'session.update', session: { type: 'transcription' } })
      client.say({ type: 'session.update', session: {} })
      client.say(update({ audio: { input: { format: { type: 'audio/pcm', rate: 16_000 } } } }))
      await world.clock.elapse(10)
      expect(client.log.slice(4)).toEqual([
        'error invalid_value',
        'error missing_required_parameter',
        'error invalid_value',
      ])
      expect(server.sessions[0]?.settings).toMatchObject({
        instructions: 'Be kind.',
        audio: {
          input: {
            format: { type: 'audio/pcm', rate: 24_000 },
            transcription: { model: 'gpt-4o-transcribe' },
            turn_detection: { type: 'semantic_vad', eagerness: 'auto', create_response: true },
          },
          output: { voice: 'marin' },
        },
      })
      client.say(update({ audio: { input: { transcription: null } } }))
      await world.clock.elapse(10)
      expect(server.sessions[0]?.settings.audio.input).not.toHaveProperty('transcription')
      client.socket.abort()
    }))

  it('is refused without its key, its path or its model', () =>
    inVirtualTime(async (world) => {
      const { clock, network } = world
      const { server, client } = await open(world, { apiKey: 'sk-test' })
      client.socket.abort()
      const statuses: unknown[] = []
      const dial = (url: string, headers = {}, protocols: string[] = []): void => {
        const ended = ({ status }: { status?: number }): void => void statuses.push(status)
        network.dial({ name: 'x', url, headers, protocols }, { opened() {}, message() {}, ended })
      }
      const root = 'wss://api.openai.com/v1'
      dial(`${root}/realtime?model=m`)
      dial(`${root}/realtime?model=m`, { authorization: 'Bearer sk-other' })
      dial(`${root}/live?model=m`, { authorization: 'Bearer sk-test' })
      dial(`${root}/realtime`, { 'api-key': 'sk-test' })
      await clock.elapse(10)
      expect(statuses).toEqual([401, 401, 404, 400])
      expect(server.dials).toHaveLength(5)
      server.manners = { refuse: 503 }
      dial(`${root}/realtime?model=m`, {}, ['realtime', 'openai-insecure-api-key.sk-test'])
      await clock.elapse(10)
      expect(statuses.at(-1)).toBe(503)
    }))

  it('ends after an hour, with an error and a reason', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world)
      const [created] = eventsOf(client, 'session.created')
      expect(created?.session.expires_at).toBe(Math.floor((world.clock.date() + 3_600_000) / 1000))
      await world.clock.elapse(3_599_900)
      expect(client.end).toBeUndefined()
      await world.clock.elapse(100)
      const message = 'Your session hit the maximum duration of 60 minutes.'
      expect(eventsOf(client, 'error')[0]?.error).toEqual({
        type: 'invalid_request_error',
        code: 'session_expired',
        message,
        param: null,
        event_id: null,
      })
      expect(client.end).toEqual({ how: 'closed', code: 1001, reason: message })
    }))

  it('ignores a close frame unless it is told to be polite', () =>
    inVirtualTime(async (world) => {
      const rude = await open(world)
      rude.client.socket.close()
      const polite = await open(world, { ignoresClose: false })
      polite.client.socket.close(1000, 'bye')
      await world.clock.elapse(60_000)
      expect(polite.client.end).toMatchObject({ how: 'closed', code: 1000 })
      expect(rude.client.end).toBeUndefined()
      expect(rude.server.open).toHaveLength(1)
      rude.client.socket.abort()
      await world.clock.elapse(10)
      expect(rude.server.open).toHaveLength(0)
    }))

  it('can fail, stall, be closed and be dropped at any time, and is silent afterwards', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: () => 'Good morning.' })
      server.fail('server_error', 'Something broke.')
      client.say('{ this is no JSON', { type: 'nonsense' })
      await world.clock.elapse(10)
      expect(client.log.slice(1)).toEqual(['error server_error', 'error invalid_json', 'error invalid_value'])
      server.stall()
      client.say({ type: 'response.create' })
      await world.clock.elapse(5000)
      expect(client.log).toHaveLength(4)
      server.close(1011, 'gone')
      client.say({ type: 'response.create' })
      await world.clock.elapse(10)
      expect(server.sessions[0]?.received).toHaveLength(2)
      expect(client.end).toEqual({ how: 'closed', code: 1011, reason: 'gone' })
      const next = await connect(world)
      next.say({ type: 'response.create' })
      await world.clock.elapse(50)
      server.drop()
      server.expire()
      expect(next.end).toMatchObject({ how: 'dropped' })
      expect(server.open).toEqual([])
      const left = world.clock.outside.list().map(({ name }) => name)
      expect(left.filter((name) => !name.startsWith('client:'))).toEqual([])
    }))
})
