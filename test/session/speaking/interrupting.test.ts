import { describe, expect, it } from 'vitest'
import type { AudioFrame } from '../../../src/audio/index.ts'
import type { Speech } from '../../../src/session/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, greeting } from '../fixture.ts'

describe('interrupting speech', () => {
  it('[SP1] clears the line and cancels the voice before interrupt() returns', () =>
    inVirtualTime(async (world) => {
      const { session, line, tts, clock } = await aLiveCall(world, { tts: { speed: 2 } })
      const speech = session.say(greeting)
      await clock.elapse(500)
      expect(line.connection.queued).toBeGreaterThan(0)
      session.interrupt()
      expect(line.connection.queued).toBe(0)
      expect(line.connection.log.at(-1)).toEqual({ at: 500, what: 'clear' })
      expect(speech.interrupted).toBe(true)
      await clock.elapse(0)
      expect(tts.speeches).toMatchObject([{ how: 'cancelled' }])
      await clock.elapse(5_000)
      expect(line.heardText).toBe('Good morni')
      await session.close()
    }))

  it('[SP1] discards frames that are on their way from the voice, however far they have come', async () => {
    // A frame needs several microtasks to reach the line. Interrupts after each of them, and at the end of the speech.
    for (const at of ['middle', 'end'] as const)
      for (let ticks = 0; ticks < 15; ticks++)
        await inVirtualTime(async (world) => {
          let speech: Speech | undefined
          const interrupt = async (): Promise<void> => {
            for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
            speech?.interrupt()
            expect(line.connection.queued).toBe(0)
          }
          const sound = async function* (frames: AsyncIterable<AudioFrame>) {
            let count = 0
            for await (const frame of frames) {
              if (at === 'middle' && ++count === 4) interrupt().catch(() => {})
              yield frame
            }
            if (at === 'end') interrupt().catch(() => {})
          }
          const { session, line, clock } = await aLiveCall(world, { agent: { stages: { sound } } })
          speech = session.say('Good morning.')
          await clock.elapse(10)
          expect(line.connection.queued).toBe(0)
          expect(line.connection.log.at(-1)).toMatchObject({ what: 'clear' })
          expect(await speech.waitForPlayout()).toEqual({ how: 'interrupted', confirmed: true, heard: '' })
          await session.close()
        })
  })

  it('[SP1] cancels the model', () =>
    inVirtualTime(async (world) => {
      const { session, llm, clock } = await aLiveCall(world, { answers: [greeting], llm: { every: 100 } })
      const reply = session.reply()
      await clock.elapse(350)
      reply.interrupt()
      expect(reply.outcome).toEqual({ how: 'interrupted' })
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      await clock.elapse(0)
      expect(llm.generations).toMatchObject([{ how: 'cancelled' }])
      expect(llm.generations[0]?.chunks).toHaveLength(4)
      await session.close()
    }))

  it('[SP1] cancels a reply that was begun early', () =>
    inVirtualTime(async (world) => {
      const { session, llm, caller, clock } = await aLiveCall(world, {
        answers: [['One two ', { stall: true }]],
        turns: { preemptive: true },
      })
      await caller.says('Hello there')
      await caller.pauses(1_000)
      await caller.hears('One')
      expect(llm.generations).toMatchObject([{ how: 'running' }])
      session.interrupt()
      await clock.elapse(0)
      expect(llm.generations).toMatchObject([{ how: 'cancelled' }])
      await session.close()
    }))

  it('[SP1] interrupts the whole reply when one of its speeches is interrupted', () =>
    inVirtualTime(async (world) => {
      const { session, llm, clock } = await aLiveCall(world, { answers: [greeting], llm: { every: 100 } })
      session.on('speaking', ({ speech }) => clock.happen(50, 'stop', () => speech.interrupt()))
      const reply = session.reply()
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      await clock.elapse(0)
      expect(llm.generations).toMatchObject([{ how: 'cancelled' }])
      await session.close()
    }))

  it('[SP1] stops queued speech and parallel replies as well', () =>
    inVirtualTime(async (world) => {
      const { session, line, llm, clock } = await aLiveCall(world, {
        answers: [greeting, greeting],
        llm: { every: 50 },
      })
      const speeches = [session.say('One two three.'), session.say('Four.')]
      const replies = [session.reply(), session.reply()]
      await clock.elapse(120)
      session.interrupt()
      expect(replies.map(({ outcome }) => outcome?.how)).toEqual(['interrupted', 'interrupted'])
      await clock.elapse(3_000)
      expect(speeches.map(({ outcome }) => outcome?.heard)).toEqual(['O', ''])
      expect(line.heardText).toBe('On')
      expect(llm.running).toBe(0)
      await session.close()
    }))

  it('[SP1] works with a line that confirms from inside clear(), whether or not it knows what was heard', async () => {
    for (const knows of [true, false]) {
      await inVirtualTime(async (world) => {
        const { session, clock, log } = await aLiveCall(world, { line: { marksAtOnce: true, knows } })
        const speech = session.say(greeting)
        const next = session.say('Next.', { interruptible: false })
        await clock.elapse(500)
        speech.interrupt()
        expect(speech.outcome).toEqual({ how: 'interrupted', confirmed: true, heard: 'Good morn' })
        expect(await next.waitForPlayout()).toEqual({ how: 'played', confirmed: true, heard: 'Next.' })
        await clock.elapse(5_000)
        expect(log).toEqual(['agent interrupted: Good morn', 'agent played: Next.'])
        await session.close()
      })
    }
  })

  it('[SP10] is a no-op for finished speech, and does not affect the current speech', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world)
      const first = session.say('One.', { interruptible: false })
      const outcome = await first.waitForPlayout()
      const second = session.say('Two three four.')
      await clock.elapse(100)
      first.interrupt()
      first.interrupt({ force: true })
      expect(first.interrupted).toBe(false)
      expect(first.outcome).toBe(outcome)
      expect(await second.waitForPlayout()).toMatchObject({ how: 'played' })
      expect(line.heardText).toBe('One.Two three four.')
      expect(line.connection.log.some(({ what }) => what === 'clear')).toBe(false)
      await session.close()
    }))

  it('[SP10] has no effect the second time, nor on a reply that has ended', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world, { answers: ['Fine.'] })
      const speech = session.say(greeting)
      await clock.elapse(100)
      speech.interrupt()
      speech.interrupt()
      session.interrupt()
      expect(line.connection.log.filter(({ what }) => what === 'clear')).toHaveLength(1)
      const reply = session.reply()
      await reply.waitForPlayout()
      reply.interrupt()
      expect(reply.interrupted).toBe(false)
      await session.close()
    }))
})
