import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../src/testing/index.ts'
import { connect, eventsOf, open, update } from './openai-fixture.ts'

const transcribed = update({ audio: { input: { transcription: { model: 'gpt-transcribe' } } } })

describe('a session on the OpenAI server', () => {
  it('keeps the settings that an update does not name, and refuses one of another type', () =>
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
            transcription: { model: 'gpt-transcribe' },
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

  it('is the preview with an api-version: it opens, and refuses the settings', () =>
    inVirtualTime(async (world) => {
      const preview = 'wss://house.openai.azure.com/openai/realtime?api-version=2025-04-01-preview'
      const { client } = await open(world, {}, `${preview}&deployment=voice`)
      client.say(update({ instructions: 'Be kind.' }))
      await world.clock.elapse(10)
      expect(client.log).toEqual(['session.created', 'error unknown_parameter'])
      client.socket.abort()
      const refused = await connect(world, preview)
      expect(refused.end).toMatchObject({ status: 400 })
    }))

  it('is refused without a valid key, path or model', () =>
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

  it('ends after an hour, with an error and a close reason', () =>
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

  it('ignores a close frame unless ignoresClose is false', () =>
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

  it('can fail, stall, be closed or be dropped at any time, and sends nothing afterwards', () =>
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
