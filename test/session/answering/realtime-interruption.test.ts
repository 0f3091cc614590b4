import { describe, expect, it } from 'vitest'
import { callTool, inVirtualTime, textOf } from '../../../src/testing/index.ts'
import { said } from '../fixture.ts'
import { aRealtimeCall, find, isSounding, says } from './realtime-fixture.ts'

describe('a session with a realtime model', () => {
  it('[SP1] stops at once when it is interrupted, and tells the model how much was heard', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, line, caller } = aRealtimeCall(world, {
        realtime: { answers: ['Good morning to you and yours.', 'Sorry.'] },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(400)
      expect(await isSounding(world, line)).toBe(true)
      says(caller, 'stop')
      await world.clock.elapse(20)
      expect(await isSounding(world, line)).toBe(false)
      expect(await reply.waitForPlayout()).toMatchObject([{ how: 'interrupted', heard: 'Good' }])
      const [interruption] = realtime.interruptions
      expect(interruption!.response).toBe('response-1')
      expect(interruption!.heard).toBeGreaterThanOrEqual(440)
      expect(interruption!.heard).toBeLessThanOrEqual(480)
      await world.clock.elapse(3_000)
      await session.close()
      expect(said(session)).toEqual(['agent: Good —', 'user: stop', 'agent: Sorry.'])
    }))

  it('interrupts the current and the queued speech, and makes the model forget both', () =>
    inVirtualTime(async (world) => {
      const { session, realtime } = aRealtimeCall(world, {
        realtime: { answers: [['One moment please.', callTool('find')], 'At nine.'] },
        agent: { tools: { find: find(() => 'nine') } },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(300)
      expect(reply.speeches).toHaveLength(2)
      session.interrupt()
      expect(realtime.interruptions.map(({ response }) => response).toSorted()).toEqual([
        'response-1',
        'response-2',
      ])
      expect(realtime.interruptions.find(({ response }) => response === 'response-2')!.heard).toBe(0)
      await session.close()
    }))

  it('stops its speech when the model stops its answer', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, line } = aRealtimeCall(world, {
        realtime: { answers: ['Good morning to you and yours.'], speed: 2 },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(400)
      realtime.stops()
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      expect(await isSounding(world, line)).toBe(false)
      await session.close()
    }))

  it('[SP1] can interrupt given words, and does not ask the model to speak blank ones', () =>
    inVirtualTime(async (world) => {
      const { session, realtime } = aRealtimeCall(world, { realtime: { answers: ['Good morning to you.'] } })
      await session.start()
      expect(await session.say(' ').waitForPlayout()).toMatchObject({ how: 'played', heard: '' })
      const speech = session.say('Good morning to you.')
      await world.clock.elapse(400)
      speech.interrupt()
      expect(realtime.interruptions).toEqual([{ response: 'response-1', heard: 400 }])
      await session.close()
      expect(realtime.answersGiven).toHaveLength(1)
      expect(said(session)).toEqual(['agent: Good —'])
    }))

  it('stops an interrupted answer as soon as the model begins it', () =>
    inVirtualTime(async (world) => {
      const { session, realtime, line } = aRealtimeCall(world, {
        realtime: { answers: ['Good morning.', 'Hello.'], firstAfter: 1_000 },
      })
      await session.start()
      const reply = session.reply()
      await world.clock.elapse(100)
      reply.interrupt()
      const next = session.reply()
      await next.waitForPlayout()
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      expect(textOf(line.heard.map(({ frame }) => frame))).toBe('Hello.')
      expect(realtime.interruptions).toEqual([{ response: 'response-1', heard: 0 }])
      await session.close()
    }))

  it('[SP7] plays an uninterruptible answer to its end, even if the user speaks', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line } = aRealtimeCall(world, {
        realtime: { answers: ['Please listen.', 'Yes?'], yields: true },
      })
      await session.start()
      const reply = session.reply({ interruptible: false })
      await world.clock.elapse(200)
      says(caller, 'no')
      await world.clock.elapse(100)
      expect(await isSounding(world, line)).toBe(true)
      expect(await reply.waitForPlayout()).toMatchObject([{ how: 'played', heard: 'Please listen.' }])
      await session.close()
    }))
})
