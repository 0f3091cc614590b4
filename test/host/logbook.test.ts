import { describe, expect, it } from 'vitest'
import { Logbook, type LiveMessage } from '../../src/host/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { tool } from '../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import { aCall, type CallOptions } from '../session/fixture.ts'

/** A logbook in virtual time. */
function aLogbook({ clock }: World, options?: { reports: number }) {
  const scope = new Scope('host', { clock })
  return { scope, logbook: new Logbook(scope, options) }
}

const ended = async (world: World, logbook: Logbook, id: string, options?: CallOptions): Promise<void> => {
  const { session } = aCall(world, { ...options, id })
  logbook.add(session)
  await session.start()
  await session.close()
}

describe('a logbook', () => {
  it('keeps all live sessions and the latest reports', () =>
    inVirtualTime(async (world) => {
      const { scope, logbook } = aLogbook(world, { reports: 2 })
      const { session } = aCall(world, { id: 'alive' })
      logbook.add(session)
      for (const id of ['one', 'two', 'three']) await ended(world, logbook, id)
      expect(logbook.list().map(({ id }) => id)).toEqual(['three', 'two', 'alive'])
      expect({ one: logbook.get('one'), live: logbook.live }).toEqual({ one: undefined, live: 1 })
      await session.close()
      expect(logbook.list().map(({ id }) => id)).toEqual(['three', 'alive'])
      await scope.close()
    }))

  it('names the culprit of a close that was not clean', () =>
    inVirtualTime(async (world) => {
      const { scope, logbook } = aLogbook(world)
      const { session, faults } = aCall(world, { id: 'one' })
      faults.set('close:stt', 'hang')
      logbook.add(session, { agent: 'desk' })
      await session.start()
      await session.close()
      expect(logbook.list({ clean: false })).toMatchObject([
        { agent: 'desk', clean: false, culprit: { name: 'stt', kind: 'resource', outcome: 'timed-out' } },
      ])
      expect(logbook.list({ words: 'STT' })).toHaveLength(1)
      expect(logbook.get('one')!.details().text).toContain('NOT clean')
      await scope.close()
    }))

  it('[ST5] has the response times, the cost and the failed tools of a session, and finds it by them', () =>
    inVirtualTime(async (world) => {
      const { scope, logbook } = aLogbook(world)
      const tools = {
        book: tool({
          description: 'Books',
          run: () => {
            throw new Error('the calendar is away')
          },
        }),
        wait: tool({
          description: 'Waits',
          run: (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(new Error('aborted')))
            }),
          onInterrupt: 'cancel',
        }),
      }
      const { session, caller, clock } = aCall(world, {
        id: 'one',
        agent: { tools },
        answers: [[callTool('book'), callTool('wait')], 'Never mind.'],
        prices: { tts: { characters: 0.5 } },
        priceList: { currency: 'EUR', products: {} },
      })
      logbook.add(session)
      await session.start()
      caller.types('Book it!')
      await clock.elapse(100)
      caller.types('Stop!')
      await clock.elapse(5_000)
      await session.close()
      await ended(world, logbook, 'two')
      expect(logbook.get('one')!.summary).toMatchObject({
        clean: true,
        failedTools: ['book'],
        latency: { p50: expect.any(Number), p95: expect.any(Number) },
        cost: { total: 5.5, currency: 'EUR' },
      })
      expect(logbook.get('two')!.summary).not.toHaveProperty('failedTools')
      expect(logbook.list({ wrong: true }).map(({ id }) => id)).toEqual(['one'])
      expect(logbook.list({ wrong: false }).map(({ id }) => id)).toEqual(['two'])
      expect(logbook.list({ since: clock.date() + 1 })).toEqual([])
      await scope.close()
    }))

  it('rejects a second live session with the same id, and a closed session', () =>
    inVirtualTime(async (world) => {
      const { scope, logbook } = aLogbook(world)
      const { session } = aCall(world, { id: 'one' })
      logbook.add(session)
      expect(() => logbook.add(aCall(world, { id: 'one' }).session)).toThrow('live session')
      await session.close()
      expect(() => logbook.add(session)).toThrow('already closed')
      await ended(world, logbook, 'one')
      expect(logbook.list()).toHaveLength(1)
      await scope.close()
    }))

  it('does not reference a closed session', () =>
    inVirtualTime(async (world) => {
      const { scope, logbook } = aLogbook(world)
      await ended(world, logbook, 'one')
      expect(logbook.get('one')!.session).toBeUndefined()
      await scope.close()
    }))
})

describe('watching a session', () => {
  it('uses no timer and no inspection while there are no watchers', () =>
    inVirtualTime(async (world) => {
      const { scope, logbook } = aLogbook(world)
      const { session, caller } = aCall(world, { id: 'one', answers: ['Hello.'] })
      let inspected = 0
      const inspect = session.inspect.bind(session)
      session.inspect = (listener) => {
        if (listener) inspected++
        return inspect(listener)
      }
      const logged = logbook.add(session)
      await session.start()
      caller.types('Hello?')
      await caller.hears('Hello.')
      const timers = (): number => scope.inspect().tree.owned.length
      expect({ inspected, timers: timers() }).toEqual({ inspected: 0, timers: 0 })

      const stop = logged.watch(() => {})
      const another = logged.watch(() => {})
      expect({ inspected, timers: timers() }).toEqual({ inspected: 1, timers: 1 })
      stop()
      another()
      await world.clock.elapse(1_000)
      expect({ inspected, timers: timers() }).toEqual({ inspected: 1, timers: 0 })
      await session.close()
      await scope.close()
    }))

  it('sends at most 20 batches per second, in order and complete', () =>
    inVirtualTime(async (world) => {
      const { scope, logbook } = aLogbook(world)
      const tools = {
        count: tool({
          description: 'Counts',
          run: async (_, { progress }) => {
            for (let i = 0; i < 200; i++) {
              progress(`${i}`)
              await clock.elapse(5)
            }
          },
        }),
      }
      const answers = [[callTool('count')], 'It is ten past eight now.']
      const { session, caller, clock } = aCall(world, { id: 'one', answers, agent: { tools } })
      const logged = logbook.add(session)
      await session.start()
      const began = clock.now()
      const messages: LiveMessage[] = []
      logged.watch((message) => messages.push(message))
      caller.types('What time is it?')
      await caller.hears('now')
      const batches = messages.filter((message) => message.type === 'batch')
      expect(batches.length).toBeGreaterThan(10)
      expect(batches.length / (clock.now() - began)).toBeLessThanOrEqual(20 / 1_000 + 0.001)
      await session.close()
      const events = messages.flatMap((message) => (message.type === 'batch' ? message.events : []))
      const counted = events.filter(({ type }) => type === 'progress')
      expect(counted.map((event) => 'update' in event && event.update)).toEqual(
        Array.from({ length: 200 }, (_, i) => `${i}`),
      )
      const user = events.find(({ type }) => type === 'user')
      const spoken = events.find(({ type }) => type === 'spoken')
      expect([user, spoken]).toMatchObject([
        { text: 'What time is it?' },
        { text: 'It is ten past eight now.', how: expect.any(String) },
      ])
      expect(messages.at(-1)).toMatchObject({ type: 'closed', report: { id: 'one' } })
      await scope.close()
    }))

  it('sends the changes of the tree until it is empty', () =>
    inVirtualTime(async (world) => {
      const { scope, logbook } = aLogbook(world)
      const { session, faults } = aCall(world, { id: 'one' })
      faults.set('close:tts', 'hang')
      const logged = logbook.add(session)
      await session.start()
      const messages: LiveMessage[] = []
      logged.watch((message) => messages.push(message))
      await session.close()
      const changes = messages.flatMap((message) => (message.type === 'batch' ? message.changes : []))
      expect(changes.findLast(({ name }) => name === 'tts')).toMatchObject({
        type: 'ended',
        outcome: 'timed-out',
      })
      expect(changes.at(-1)).toMatchObject({ type: 'closed', name: 'session one' })
      await scope.close()
    }))

  it('sends the current words to a watcher that starts in the middle of a speech', () =>
    inVirtualTime(async (world) => {
      const { scope, logbook } = aLogbook(world)
      const { session, caller } = aCall(world, { id: 'one' })
      const logged = logbook.add(session)
      await session.start()
      session.say('Good morning, and welcome.')
      await caller.hears('Good')
      const messages: LiveMessage[] = []
      logged.watch((message) => messages.push(message))()
      expect(messages).toMatchObject([{ type: 'snapshot', saying: { text: 'Good morning, and welcome.' } }])
      await session.close()
      await scope.close()
    }))
})
