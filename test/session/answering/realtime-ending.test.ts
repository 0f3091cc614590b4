import { describe, expect, it } from 'vitest'
import { ScriptedRealtime, inVirtualTime, textOf } from '../../../src/testing/index.ts'
import { said } from '../fixture.ts'
import { aRealtimeCall, heardAfter, says } from './realtime-fixture.ts'

describe('a session with a realtime model', () => {
  it.each([
    [
      'the user speaks again',
      (model: ScriptedRealtime) => {
        model.hear('hello')
        model.userStarts()
      },
    ],
    ['what the model heard was not speech', (model: ScriptedRealtime) => model.hear(' ')],
  ])('[CL3] does not wait for an answer if %s', (_, happens) =>
    inVirtualTime(async (world) => {
      const { session, realtime } = aRealtimeCall(world, {
        realtime: { answers: ['Yes?'], firstAfter: 60_000 },
      })
      await session.start()
      happens(realtime)
      const report = await session.drain()
      expect(report.reason).toBe('requested')
      expect(world.clock.now()).toBeLessThan(3_000)
    }),
  )

  it('[CL3] finishes the expected answer when it drains, and begins no other', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line } = aRealtimeCall(world, {
        realtime: { answers: ['Until six.', 'No.'], firstAfter: 400 },
      })
      await session.start()
      says(caller, 'how long are you open')
      // The model has heard the end of the turn, but has not answered yet.
      await world.clock.elapse(heardAfter('how long are you open') + 100)
      const drained = session.drain()
      await world.clock.elapse(400)
      expect(session.state).toBe('ending')
      says(caller, 'and tomorrow')
      await drained
      // It did not wait for stallTimeout, because no other answer was expected.
      expect(world.clock.now()).toBeLessThan(6_000)
      expect(textOf(line.heard.map(({ frame }) => frame))).toBe('Until six.')
      expect(said(session)).toContain('agent: Until six.')
      expect(said(session)).not.toContain('agent: No.')
    }))

  it('[SP8] lets the model say goodbye to the end, and hangs up', () =>
    inVirtualTime(async (world) => {
      const { session, line } = aRealtimeCall(world, { realtime: { answers: ['Goodbye.'] } })
      await session.start()
      expect(await session.hangUp({ say: 'Goodbye.' })).toBe('confirmed')
      expect(session.state).toBe('closed')
      expect(textOf(line.heard.map(({ frame }) => frame))).toBe('Goodbye.')
    }))

  it('[CL6] waits for the last words of the user', () =>
    inVirtualTime(async (world) => {
      const { session, caller } = aRealtimeCall(world, {
        realtime: { answers: ['Bye.'] },
        lastWordsTimeout: 500,
      })
      await session.start()
      says(caller, 'thank you')
      await world.clock.elapse(400)
      await session.close()
      expect(said(session)).toEqual([expect.stringMatching(/^user: thank/)])
    }))

  it('[CL12] ends with an error when the model fails for good', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, log } = aRealtimeCall(world, {
        realtime: { answers: ['Good morning.'], speed: 1 },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(100)
      realtime.drop()
      await world.clock.elapse(1_000)
      expect(session.state).toBe('closed')
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      expect(log).toEqual(['error: realtime', expect.stringMatching(/^agent interrupted/), 'closed: error'])
    }))

  it.each([
    ['closeHangs', { closeHangs: true }],
    ['closeFails', { closeFails: new Error('no') }],
  ])('[CL1] closes in time with a model whose option is %s', (_, options) =>
    inVirtualTime(async (world) => {
      const { session, realtime } = aRealtimeCall(world, { realtime: options, closeTimeout: 2_000 })
      await session.start()
      const report = await session.close()
      expect(report.clean).toBe(false)
      expect(report.took).toBeLessThanOrEqual(2_000)
      expect(realtime.counts.live).toBe(0)
    }),
  )
})
