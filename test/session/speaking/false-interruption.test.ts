import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, greeting, said } from '../fixture.ts'

describe('speech after a false interruption', () => {
  const turns = { falseInterruption: { timeout: 1_000 }, bargeIn: { minDuration: 2_000 } }

  it('[SP9] resumes with the first word that was not completely heard', () =>
    inVirtualTime(async (world) => {
      const { session, vad, line, clock } = await aLiveCall(world, { turns })
      const speech = session.say(greeting)
      await clock.elapse(850)
      vad.starts()
      expect(line.connection.queued).toBe(0)
      await clock.elapse(100)
      vad.stops()
      await clock.elapse(5_000)
      expect(line.heardText).toBe(`Good morning, thithis is Bright Dental now.`)
      expect(speech.outcome).toEqual({ how: 'played', confirmed: true, heard: greeting })
      expect(said(session)).toEqual([`agent: ${greeting}`])
      await session.close()
    }))

  it('[SP9] resumes exactly where it was paused if the voice reports no word times', () =>
    inVirtualTime(async (world) => {
      const { session, vad, line, clock } = await aLiveCall(world, { turns, tts: { words: false } })
      const speech = session.say(greeting)
      await clock.elapse(800)
      vad.starts()
      await clock.elapse(100)
      vad.stops()
      await clock.elapse(5_000)
      expect(line.heardText).toBe(greeting)
      expect(speech.outcome).toMatchObject({ how: 'played', heard: greeting })
      await session.close()
    }))

  it('[SP9] is silent during the pause, even if the voice is still producing sound', () =>
    inVirtualTime(async (world) => {
      const { session, vad, line, clock } = await aLiveCall(world, { turns, tts: { speed: 1 } })
      const speech = session.say(greeting)
      await clock.elapse(500)
      vad.starts()
      await clock.elapse(900)
      expect(line.heardText).toBe('Good morni')
      vad.stops()
      await clock.elapse(6_000)
      expect(line.heardText).toBe('Good morni morning, this is Bright Dental now.')
      expect(speech.outcome).toMatchObject({ how: 'played', heard: greeting })
      await session.close()
    }))

  it('[SP9] does not resume once a turn was committed', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await aLiveCall(world, { turns, answers: ['Fine.'] })
      const speech = session.say(greeting)
      await clock.elapse(500)
      await caller.says('Stop it')
      await caller.pauses(1_500)
      await caller.hears('Fine.')
      await clock.elapse(5_000)
      expect(speech.outcome).toMatchObject({ how: 'interrupted', confirmed: true })
      expect(line.heardText).toMatch(/^Good morni\w*Fine\.$/)
      await session.close()
    }))

  it('[SP9] does not resume when the session is ending', () =>
    inVirtualTime(async (world) => {
      const { session, vad, line, clock } = await aLiveCall(world, { turns })
      const speech = session.say(greeting)
      await clock.elapse(500)
      vad.starts()
      await clock.elapse(100)
      expect(await session.hangUp({ say: 'Bye.' })).toBe('confirmed')
      expect(speech.outcome).toMatchObject({ how: 'interrupted' })
      expect(line.heardText).toBe('Good morniBye.')
    }))

  it('[SP9] keeps what was heard before the pause if it is interrupted right after resuming', () =>
    inVirtualTime(async (world) => {
      const { session, vad, clock } = await aLiveCall(world, { turns })
      const speech = session.say(greeting)
      await clock.elapse(850)
      vad.starts()
      await clock.elapse(100)
      vad.stops()
      await clock.elapse(1_020)
      speech.interrupt()
      expect(await speech.waitForPlayout()).toMatchObject({ heard: 'Good morning, th' })
      await session.close()
    }))

  it('[SP9] [CL9] ends silently if the session closes during the pause', () =>
    inVirtualTime(async (world) => {
      const { session, vad, line, clock } = await aLiveCall(world, { turns })
      const speech = session.say(greeting)
      await clock.elapse(500)
      vad.starts()
      await clock.elapse(100)
      const report = await session.close({ reason: 'error' })
      expect(speech.outcome).toMatchObject({ how: 'interrupted', heard: 'Good morn' })
      expect([line.audibleAfterClosing, report.took]).toEqual([0, 0])
    }))
})
