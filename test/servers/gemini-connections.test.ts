import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../src/testing/index.ts'
import { ask, connect, dial, lastHandle, liveUrl, open, resume } from './gemini-fixture.ts'

const resumable = { sessionResumption: {} }

describe('a resumption handle of the Gemini server', () => {
  it('is sent after the turn, is empty during it, and resumes the conversation', () =>
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

  it('resumes the conversation as of the time it was issued', () =>
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

  it('cannot be used while the previous connection is open, or after forgetHandles()', () =>
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

  it('is only sent to a client that asked for it', () =>
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
  it('ends after ten minutes, with goAway one minute before', () =>
    inVirtualTime(async (world) => {
      const { client } = await open(world)
      await world.clock.elapse(539_900)
      expect(client.log).toEqual(['setupComplete'])
      await world.clock.elapse(200)
      expect(client.log).toEqual(['setupComplete', 'goAway 60s'])
      await world.clock.elapse(60_000)
      expect(client.end).toMatchObject({ how: 'closed', code: 1011 })
    }))

  it('ends after goAway() at any time', () =>
    inVirtualTime(async (world) => {
      const { client, server } = await open(world)
      server.goAway(2500)
      await world.clock.elapse(2400)
      expect(client.log.at(-1)).toBe('goAway 2.5s')
      expect(client.end).toBeUndefined()
      await world.clock.elapse(200)
      expect(client.end).toMatchObject({ code: 1011 })
    }))

  it('must start with a setup, and have only one', () =>
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

  it('needs a valid key, model and path, and the path may start with two slashes', () =>
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

  it('can be closed with any code, dropped, or ended by a failure of the model', () =>
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

  it('sends JSON in binary frames, or in text frames with sendsText', () =>
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
