import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime, type LlmAnswer } from '../../src/testing/index.ts'
import type { GeminiTurn } from '../../src/testing/servers/index.ts'
import {
  ask,
  connect,
  dial,
  lastHandle,
  liveUrl,
  open,
  quiet,
  resume,
  voiceOf,
  words,
} from './gemini-fixture.ts'

const transcribed = { inputAudioTranscription: {}, outputAudioTranscription: {} }
const manual = { realtimeInputConfig: { automaticActivityDetection: { disabled: true } } }
const resumable = { sessionResumption: {} }

describe('a turn with the Gemini server', () => {
  it('is heard by its energy, transcribed, and answered with words and sound', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Good morning.'] }, transcribed)
      client.say(words('hello there'), quiet(600))
      await world.clock.elapse(1000)
      expect(client.log).toEqual([
        'setupComplete',
        'heard hello ',
        'heard there',
        'said Good ',
        'said morning.',
        'generationComplete',
        'turnComplete',
      ])
      expect(voiceOf(client)).toBe('Good morning.')
      expect(server.transcript).toEqual(['user: hello there', 'model: Good morning.'])
      client.socket.abort()
    }))

  it('comes faster than it sounds, and is complete when it has sounded', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Good morning.'], speed: 10 })
      client.say(ask('hello'))
      await world.clock.elapse(100)
      expect(voiceOf(client)).toBe('Good morning.')
      expect(client.log).toEqual(['setupComplete', 'generationComplete'])
      await world.clock.elapse(540)
      expect(client.log).toHaveLength(2)
      await world.clock.elapse(20)
      expect(client.log.at(-1)).toBe('turnComplete')
      expect(client.messages.at(-1)?.usageMetadata).toMatchObject({ responseTokenCount: 17 })
      client.socket.abort()
    }))

  it('is interrupted by the user, and what was not sent is forgotten', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Good morning to you.', 'Yes?'], speed: 1 })
      client.say(ask('hello'))
      await world.clock.elapse(301)
      client.say(words('stop'))
      await world.clock.elapse(10)
      expect(client.log).toEqual(['setupComplete', 'interrupted', 'turnComplete'])
      expect(server.transcript).toEqual(['user: hello', 'model: Good mo'])
      client.say(quiet(600))
      await world.clock.elapse(1000)
      expect(server.transcript.slice(-2)).toEqual(['user: stop', 'model: Yes?'])
      client.socket.abort()
    }))

  it('is not given where it is found after the interruption', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, {
        answers: (_, index) => world.clock.elapse(500, 'thinks').then(() => `Answer ${index}.`),
      })
      client.say(ask('hello'))
      await world.clock.elapse(100)
      client.say(ask('and this'))
      await world.clock.elapse(2000)
      expect(server.transcript).toEqual(['user: hello', 'user: and this', 'model: Answer 1.'])
      client.socket.abort()
    }))

  it('can be interrupted while it is assumed to sound', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Good morning.'], speed: Infinity })
      client.say(ask('hello'))
      await world.clock.elapse(100)
      client.say(words('x'))
      await world.clock.elapse(10)
      expect(client.log.slice(1)).toEqual(['generationComplete', 'interrupted', 'turnComplete'])
      client.socket.abort()
    }))

  it('is not interrupted where the client says so, and the user is answered afterwards', () =>
    inVirtualTime(async (world) => {
      const setup = { realtimeInputConfig: { activityHandling: 'NO_INTERRUPTION' } }
      const { client, server } = await open(world, { answers: ['Good morning.', 'Yes.'], speed: 1 }, setup)
      client.say(ask('hello'))
      await world.clock.elapse(100)
      client.say(words('stop'), quiet(600))
      await world.clock.elapse(2000)
      expect(client.log).not.toContain('interrupted')
      expect(server.transcript.at(-1)).toBe('model: Yes.')
      client.socket.abort()
    }))

  it('is between two marks where the client takes the turns, and only there', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Yes.'] }, manual)
      client.say(words('not this'), { realtimeInput: { activityStart: {} } }, words('hello'), quiet(2000))
      await world.clock.elapse(100)
      expect(server.transcript).toEqual([])
      client.say({ realtimeInput: { activityEnd: {} } })
      await world.clock.elapse(1000)
      expect(server.transcript).toEqual(['user: hello', 'model: Yes.'])
      client.socket.abort()

      const automatic = await open(world)
      automatic.client.say({ realtimeInput: { activityStart: {} } })
      await world.clock.elapse(10)
      expect(automatic.client.end).toMatchObject({ code: 1007 })
    }))

  it('can be put into its ear without a sound', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Yes.'] }, transcribed)
      server.hear('hello there')
      await world.clock.elapse(1000)
      expect(client.log.slice(1, 3)).toEqual(['heard hello ', 'heard there'])
      expect(server.transcript).toEqual(['user: hello there', 'model: Yes.'])
      client.socket.abort()
    }))

  it('ends with the stream of sound, and may be typed', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['One.', 'Two.'] })
      client.say(words('hello'), { realtimeInput: { audioStreamEnd: true } })
      await world.clock.elapse(1000)
      client.say({ realtimeInput: { text: 'and this' } })
      await world.clock.elapse(1000)
      expect(server.transcript).toEqual(['user: hello', 'model: One.', 'user: and this', 'model: Two.'])
      client.socket.abort()
    }))

  it('is text where that was asked for', () =>
    inVirtualTime(async (world) => {
      const setup = { generationConfig: { responseModalities: ['TEXT'] } }
      const { client } = await open(world, { answers: ['Good morning.'] }, setup)
      client.say(ask('hello'))
      await world.clock.elapse(10)
      expect(client.log.slice(1)).toEqual([
        'text Good ',
        'text morning.',
        'generationComplete',
        'turnComplete',
      ])
      client.socket.abort()
    }))

  it('adds to what is remembered without an answer, until the client wants one', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world)
      const turns = [
        { role: 'user', parts: [{ text: 'hello' }] },
        { role: 'model', parts: [{ text: 'Good morning.' }] },
      ]
      client.say({ clientContent: { turns, turnComplete: false } })
      await world.clock.elapse(1000)
      expect(server.transcript).toEqual(['user: hello', 'model: Good morning.'])
      expect(client.log).toEqual(['setupComplete'])
      client.socket.abort()
    }))
})

describe('a tool call of the Gemini server', () => {
  const weather: LlmAnswer = ['One moment. ', callTool('weather', { city: 'Rome' }), callTool('time')]

  it('is part of the turn, which goes on when every output has come', () =>
    inVirtualTime(async (world) => {
      const turns: GeminiTurn[] = []
      const answers = (turn: GeminiTurn, index: number): LlmAnswer => {
        turns.push(turn)
        return index === 0 ? weather : 'Sunny.'
      }
      const { client, server } = await open(world, { answers })
      client.say(ask('How is the weather?'))
      await world.clock.elapse(1000)
      expect(client.log.slice(1)).toEqual(['calls call-1 weather', 'calls call-2 time'])
      const [one, two] = ['call-1', 'call-2'].map((id) => ({ id, name: 'x', response: { output: id } }))
      client.say({ toolResponse: { functionResponses: [one] } })
      await world.clock.elapse(1000)
      expect(client.log).toHaveLength(3)
      client.say({ toolResponse: { functionResponses: [{ id: 'nobody' }, two] } })
      await world.clock.elapse(1000)
      expect(client.log.slice(-2)).toEqual(['generationComplete', 'turnComplete'])
      expect(turns.map(({ user, results }) => [user, results])).toEqual([
        ['How is the weather?', []],
        ['', [one, two]],
      ])
      expect(server.transcript).toEqual([
        'user: How is the weather?',
        'model: One moment. ',
        'model: weather({"city":"Rome"})',
        'model: time({})',
        'user: {"output":"call-1"}',
        'user: {"output":"call-2"}',
        'model: Sunny.',
      ])
      client.socket.abort()
    }))

  it('is taken back when the user interrupts, and its output is not wanted any more', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: [weather, 'Yes?'] })
      client.say(ask('How is the weather?'))
      await world.clock.elapse(1000)
      client.say(words('stop'))
      await world.clock.elapse(10)
      expect(client.log.slice(-3)).toEqual(['cancels call-1,call-2', 'interrupted', 'turnComplete'])
      client.say({ toolResponse: { functionResponses: [{ id: 'call-1', response: {} }] } }, quiet(600))
      await world.clock.elapse(1000)
      expect(server.transcript.slice(-2)).toEqual(['user: stop', 'model: Yes?'])
      client.socket.abort()
    }))
})

describe('a handle of the Gemini server', () => {
  it('comes after the turn, is empty during it, and brings the conversation back', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Good morning.', 'As I said.'] }, resumable)
      client.say(ask('hello'))
      await world.clock.elapse(1000)
      expect(client.log).toEqual([
        'setupComplete',
        'handle',
        'generationComplete',
        'turnComplete',
        'handle handle_2',
      ])
      client.socket.close()
      await world.clock.elapse(10)
      const next = await connect(world, resume(lastHandle(client)))
      expect(next.log).toEqual(['setupComplete'])
      next.say(ask('again'))
      await world.clock.elapse(1000)
      expect(server.transcript).toEqual([
        'user: hello',
        'model: Good morning.',
        'user: again',
        'model: As I said.',
      ])
      next.socket.abort()
    }))

  it('brings back what had been said when it was given', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['One.', 'Two.'] }, resumable)
      client.say(ask('first'))
      await world.clock.elapse(1000)
      const handle = lastHandle(client)
      client.say(ask('second'))
      await world.clock.elapse(1000)
      expect(lastHandle(client)).not.toBe(handle)
      client.socket.abort()
      await world.clock.elapse(10)
      const next = await connect(world, resume(handle))
      expect(server.transcript).toEqual(['user: first', 'model: One.'])
      next.socket.abort()
    }))

  it('cannot be used while the earlier connection is open, nor once it is forgotten', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, {}, resumable)
      server.offerHandle()
      await world.clock.elapse(10)
      const early = await connect(world, resume(lastHandle(client)))
      expect(early.end).toMatchObject({ how: 'closed', code: 1011 })
      client.socket.abort()
      await world.clock.elapse(10)
      const good = await connect(world, resume(lastHandle(client)))
      expect(good.log).toEqual(['setupComplete'])
      good.socket.abort()
      server.forgetHandles()
      const late = await connect(world, resume(lastHandle(client)))
      expect(late.end).toMatchObject({ how: 'closed', code: 1008 })
    }))

  it('is not given to a client that has not asked for it', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Good morning.'] })
      client.say(ask('hello'))
      server.offerHandle()
      await world.clock.elapse(1000)
      expect(client.log.filter((line) => line.startsWith('handle'))).toEqual([])
      client.socket.abort()
    }))
})

describe('a connection to the Gemini server', () => {
  it('ends after ten minutes, and says so a minute before', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world)
      await world.clock.elapse(539_900)
      expect(client.log).toEqual(['setupComplete'])
      await world.clock.elapse(200)
      expect(client.log).toEqual(['setupComplete', 'goAway 60s'])
      await world.clock.elapse(60_000)
      expect(client.end).toMatchObject({ how: 'closed', code: 1011 })
    }))

  it('can be told to go away at any time', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world)
      server.goAway(2500)
      await world.clock.elapse(2400)
      expect(client.log.at(-1)).toBe('goAway 2.5s')
      expect(client.end).toBeUndefined()
      await world.clock.elapse(200)
      expect(client.end).toMatchObject({ code: 1011 })
    }))

  it('begins with a setup, and has no second one', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world)
      client.say({ setup: { model: 'models/gemini-live' } })
      const hasty = dial(world)
      await world.clock.elapse(2)
      hasty.say(ask('hello'))
      const odd = dial(world)
      await world.clock.elapse(2)
      odd.say('{ this is no JSON')
      await world.clock.elapse(10)
      expect([client, hasty, odd].map(({ end }) => end?.code)).toEqual([1007, 1007, 1007])
    }))

  it('needs a key, a model and a path that there are, of which the path may have two slashes', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { apiKey: 'test', models: ['models/gemini-live'] })
      expect(client.log).toEqual(['setupComplete'])
      client.socket.abort()
      const unknown = await connect(world, { model: 'models/other' })
      const wrong = dial(world, liveUrl.replace('key=test', 'key=other'))
      const none = dial(world, liveUrl.replace('?key=test', ''))
      const lost = dial(world, liveUrl.replace('/ws/', '/wss/'))
      const doubled = dial(world, liveUrl.replace('/ws/', '//ws/').replace('v1beta', 'v1alpha'))
      await world.clock.elapse(10)
      expect([unknown, wrong, none].map(({ end }) => end?.code)).toEqual([1008, 1007, 1008])
      expect(lost.end).toEqual({ how: 'refused', status: 404 })
      expect(doubled.end).toBeUndefined()
      doubled.socket.abort()
      server.ignoresSetup = true
      const silent = await connect(world)
      await world.clock.elapse(1000)
      expect(silent.log).toEqual([])
      silent.socket.abort()
    }))

  it('is closed with any code, dropped, or ended by a failure of the model', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: [['Hm. ', { fail: new Error('quota') }]] })
      client.say(ask('hello'))
      await world.clock.elapse(1000)
      expect(client.end).toEqual({ how: 'closed', code: 1011, reason: 'quota' })
      const next = await connect(world)
      server.close(1007, 'Request contains an invalid argument.')
      await world.clock.elapse(10)
      expect(next.end).toMatchObject({ how: 'closed', code: 1007 })
      const last = await connect(world)
      server.drop()
      expect(last.end).toMatchObject({ how: 'dropped' })
    }))

  it('carries JSON in binary frames, or in text if it is set so', () =>
    inVirtualTime(async (world) => {
      const kinds: string[] = []
      for (const sendsText of [false, true]) {
        const { client, server } = await open(world, { sendsText })
        client.socket.abort()
        const { name, url } = { name: 'raw', url: liveUrl }
        const socket = world.network.dial(
          { name, url },
          { opened() {}, message: (data) => void kinds.push(typeof data), ended() {} },
        )
        await world.clock.elapse(10)
        server.goAway(1000)
        await world.clock.elapse(10)
        socket.abort()
      }
      expect(kinds).toEqual(['object', 'string'])
    }))
})
