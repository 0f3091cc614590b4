import { describe, expect, it } from 'vitest'
import { decodeMuLaw, encodeMuLaw, sine } from '../../src/audio/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import type { OpenAITurn } from '../../src/testing/servers/index.ts'
import { eventsOf, manual, open, quiet, transcriptionUrl, update, voiceOf, words } from './openai-fixture.ts'

const transcribed = update({ audio: { input: { transcription: { model: 'gpt-transcribe' } } } })

describe('a turn on the OpenAI server', () => {
  it('is detected by energy, transcribed, and answered with text and audio', () =>
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

  it('has the times of the audio, not of the clock', () =>
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

  it('ends later after an unfinished sentence with semantic turn detection', () =>
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

  it('is what the client commits with manual turns', () =>
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

  it('cannot be empty, and is discarded when the buffer is cleared', () =>
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

  it('can be made with hear(), without audio', () =>
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

  it('is not transcribed with transcriptionFails', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, {}, transcriptionUrl)
      server.transcriptionFails = true
      client.say(words('hello'), quiet(600))
      await world.clock.elapse(100)
      expect(client.log.at(-1)).toBe('conversation.item.input_audio_transcription.failed')
      client.socket.abort()
    }))

  it('is added with a transcript that is null until it is transcribed', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Yes.'] })
      client.say(words('hello'), quiet(600))
      await world.clock.elapse(100)
      const [added] = eventsOf(client, 'conversation.item.added')
      expect(added?.item).toMatchObject({
        role: 'user',
        content: [{ type: 'input_audio', transcript: null }],
      })
      client.socket.abort()
    }))

  it('is transcribed by a live model while it is spoken, and has no turn detection', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, {}, transcriptionUrl)
      const transcription = { model: 'gpt-live-transcribe' }
      const settings = (input: object): object => ({
        type: 'session.update',
        session: { type: 'transcription', audio: { input: { transcription, ...input } } },
      })
      client.say(settings({}), settings({ turn_detection: null }), words('hello there'))
      await world.clock.elapse(100)
      expect(client.log.slice(1, 3)).toEqual(['error invalid_value', 'session.updated'])
      const deltas = () => eventsOf(client, 'conversation.item.input_audio_transcription.delta')
      expect(deltas().map(({ delta }) => delta)).toEqual(['hello'])
      expect(client.log).not.toContain('input_audio_buffer.committed')
      client.say({ type: 'input_audio_buffer.commit' })
      await world.clock.elapse(100)
      expect(client.log.slice(-4)).toEqual([
        'input_audio_buffer.committed',
        'conversation.item.added',
        'conversation.item.done',
        'transcript hello there',
      ])
      const [committed] = eventsOf(client, 'input_audio_buffer.committed')
      expect(deltas().map(({ delta }) => delta)).toEqual(['hello', ' there'])
      expect(deltas().map(({ item_id }) => item_id)).toEqual(Array(2).fill(committed?.item_id))
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

  it('can be in G.711 both ways with a custom transcription', () =>
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
      const silent = encodeMuLaw(new Int16Array(8000))
      client.say({ type: 'input_audio_buffer.append', audio: Buffer.from(silent).toString('base64') })
      await world.clock.elapse(1000)
      expect(turns[0]?.user).toBe('a tone')
      const deltas = eventsOf(client, 'response.output_audio.delta').map(({ delta }) => delta)
      const lengths = deltas.map((delta) => decodeMuLaw(Buffer.from(delta, 'base64')).length)
      expect(lengths).toEqual([800, 800])
      client.socket.abort()
    }))
})
