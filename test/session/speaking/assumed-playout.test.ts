import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, greeting, said, whenSettled } from '../fixture.ts'

describe('a line that only assumes what was heard', () => {
  const line = { assumes: true }

  it('[SP11] delays nothing, and no speech counts as confirmed', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(world, { line })
      const first = session.say(greeting)
      const second = session.say('Hello?')
      expect(await whenSettled(clock, first.waitForPlayout())).toBe(2_000)
      expect(first.outcome).toEqual({ how: 'played', confirmed: false, heard: greeting })
      expect(await whenSettled(clock, second.waitForPlayout())).toBe(2_300)
      await session.close()
    }))

  it('[SP11] says how much was heard of a speech that was interrupted, also after the interruption', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(world, { line: { assumes: true, avatar: { lag: 200 } } })
      const speech = session.say(greeting)
      await clock.elapse(500)
      speech.interrupt()
      expect(await whenSettled(clock, speech.waitForPlayout())).toBe(700)
      expect(speech.outcome).toEqual({ how: 'interrupted', confirmed: false, heard: 'Good morning,' })
      expect(said(session)).toEqual(['agent: Good morning, —'])
      await session.close()
    }))

  it('[SP11] makes a latency an estimate, and a goodbye unconfirmed', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock, reports } = await aLiveCall(world, { line, answers: ['Fine.'] })
      caller.types('How are you?')
      await clock.elapse(1_000)
      const began = clock.now()
      expect(await session.hangUp({ say: 'Bye.' })).toBe('unconfirmed')
      expect(clock.now() - began).toBeLessThan(300)
      await session.closed
      expect(reports[0]).toMatchObject({ clean: true, turns: [{ heard: 'estimated' }] })
    }))
})
