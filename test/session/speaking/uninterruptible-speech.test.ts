import { describe, expect, it } from 'vitest'
import { UninterruptibleError } from '../../../src/session/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, greeting, said } from '../fixture.ts'

describe('uninterruptible speech', () => {
  it('[SP7] throws when it is interrupted, before anything is stopped, unless forced', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world, { answers: [['Hm ', { stall: true }]] })
      const speech = session.say(greeting, { interruptible: false })
      const reply = session.reply()
      await clock.elapse(500)
      expect(() => speech.interrupt()).toThrow(UninterruptibleError)
      expect(() => session.interrupt()).toThrow(UninterruptibleError)
      expect([speech.interrupted, reply.interrupted, line.connection.queued]).toEqual([false, false, 1_500])
      session.interrupt({ force: true })
      expect([speech.interrupted, reply.interrupted]).toEqual([true, true])
      expect(await speech.waitForPlayout()).toMatchObject({ how: 'interrupted', heard: 'Good morn' })
      await session.close()
    }))

  it('[SP7] can be a reply that is uninterruptible before its first word', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await aLiveCall(world, {
        answers: [[{ wait: 300 }, greeting], 'Now you.'],
      })
      const reply = session.reply({ interruptible: false })
      await clock.elapse(100)
      expect(() => reply.interrupt()).toThrow(UninterruptibleError)
      expect(() => session.interrupt()).toThrow(UninterruptibleError)
      caller.types('Stop!')
      await clock.elapse(1_000)
      expect(() => reply.interrupt()).toThrow(UninterruptibleError)
      await caller.hears(greeting)
      await caller.hears('Now you.')
      expect(line.heardText).toBe(`${greeting}Now you.`)
      await session.close()
    }))

  it('[SP7] is not stopped by barge-in, and the caller is answered afterwards', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await aLiveCall(world, { answers: ['Fine.'] })
      session.say(`${greeting} ${greeting}`, { interruptible: false })
      await clock.elapse(200)
      await caller.says('I want to cancel.')
      await caller.pauses(1_000)
      await caller.hears('Fine.')
      await clock.elapse(100)
      expect(line.heardText).toBe(`${greeting} ${greeting}Fine.`)
      expect(said(session)).toEqual([
        `agent: ${greeting} ${greeting}`,
        'user: I want to cancel.',
        'agent: Fine.',
      ])
      await session.close()
    }))

  it('[SP7] stays in the queue when the speech before it is interrupted', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world)
      session.say(greeting)
      const notice = session.say('This call is recorded.', { interruptible: false })
      await clock.elapse(500)
      session.interrupt()
      expect(await notice.waitForPlayout()).toMatchObject({ how: 'played' })
      expect(line.heardText).toBe('Good morniThis call is recorded.')
      await session.close()
    }))

  it('[SP7] is not interrupted by a telephone key, even while a reply is in progress', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await aLiveCall(world, {
        answers: [[{ stall: true }]],
        turns: { dtmf: {} },
      })
      const speech = session.say(greeting, { interruptible: false })
      session.reply()
      await clock.elapse(200)
      caller.presses('1#')
      expect(await speech.waitForPlayout()).toMatchObject({ how: 'played' })
      await session.close()
    }))

  it('[SP7] [CL9] is stopped when the session closes', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world)
      const speech = session.say(greeting, { interruptible: false })
      await clock.elapse(500)
      const closed = session.close()
      expect(line.connection.queued).toBe(0)
      expect(speech.outcome).toMatchObject({ how: 'interrupted', heard: 'Good morn' })
      await closed
      await clock.elapse(1_000)
      expect([line.audibleAfterClosing, line.playedTooLate]).toEqual([0, []])
      expect(said(session)).toEqual(['agent: Good morn —'])
    }))
})
