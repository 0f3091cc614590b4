import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime, type LlmAnswer } from '../../src/testing/index.ts'
import type { GeminiTurn } from '../../src/testing/servers/index.ts'
import { ask, open, quiet, voiceOf, words } from './gemini-fixture.ts'

const transcribed = { inputAudioTranscription: {}, outputAudioTranscription: {} }
const manual = { realtimeInputConfig: { automaticActivityDetection: { disabled: true } } }

describe('a turn on the Gemini server', () => {
  it('is detected by energy, transcribed, and answered with text and audio', () =>
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

  it('is sent faster than real time, and completes when its audio would have played', () =>
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

  it('is interrupted by the user, and the unsent part is forgotten', () =>
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

  it('is not answered if the answer is ready only after the interruption', () =>
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

  it('can be interrupted while its audio is assumed to play', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world, { answers: ['Good morning.'], speed: Infinity })
      client.say(ask('hello'))
      await world.clock.elapse(100)
      client.say(words('x'))
      await world.clock.elapse(10)
      expect(client.log.slice(1)).toEqual(['generationComplete', 'interrupted', 'turnComplete'])
      client.socket.abort()
    }))

  it('is not interrupted with NO_INTERRUPTION, and the user is answered afterwards', () =>
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

  it('is delimited by activityStart and activityEnd, only with manual turns', () =>
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

  it('can be made with hear(), without audio', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['Yes.'] }, transcribed)
      server.hear('hello there')
      await world.clock.elapse(1000)
      expect(client.log.slice(1, 3)).toEqual(['heard hello ', 'heard there'])
      expect(server.transcript).toEqual(['user: hello there', 'model: Yes.'])
      client.socket.abort()
    }))

  it('ends with audioStreamEnd, and may be text', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world, { answers: ['One.', 'Two.'] })
      client.say(words('hello'), { realtimeInput: { audioStreamEnd: true } })
      await world.clock.elapse(1000)
      client.say({ realtimeInput: { text: 'and this' } })
      await world.clock.elapse(1000)
      expect(server.transcript).toEqual(['user: hello', 'model: One.', 'user: and this', 'model: Two.'])
      client.socket.abort()
    }))

  it('is answered with text if the client asks for that', () =>
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

  it('is added to the conversation without an answer unless turnComplete is true', () =>
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

describe('a tool call on the Gemini server', () => {
  const weather: LlmAnswer = ['One moment. ', callTool('weather', { city: 'Rome' }), callTool('time')]

  it('is part of the turn, which continues when all results have arrived', () =>
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

  it('is cancelled when the user interrupts, and its result is ignored', () =>
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
