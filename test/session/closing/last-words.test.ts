import { describe, expect, it } from 'vitest'
import { inVirtualTime, type World } from '../../../src/testing/index.ts'
import { aCall, expectEnded, never, said, type CallOptions } from '../fixture.ts'

/** A call in which the user is in the middle of a sentence. */
async function aTalkingUser(world: World, options: CallOptions = {}) {
  const call = aCall(world, options)
  await call.session.start()
  call.caller.says('please cancel my appointment').catch(() => {})
  await world.clock.elapse(705)
  return call
}

describe('the last words of the user', () => {
  it('[CL6] are kept if their text arrives in time', () =>
    inVirtualTime(async (world) => {
      const call = await aTalkingUser(world, { stt: { finalAfter: 1_900 }, agent: { onExit: () => {} } })
      const report = await call.session.close()
      expect(report).toMatchObject({ took: 1_900, clean: true })
      expect(said(call.session)).toEqual(['user: please cancel'])
      expect(report.transcript).toEqual(call.session.history.items)
      expect(call.stt.log).toEqual(['flush', 'detach'])
      expectEnded(call)
    }))

  it('[CL6] are kept if they were spoken before and are still being transcribed', () =>
    inVirtualTime(async (world) => {
      const call = await aTalkingUser(world, { stt: { finalAfter: 1_000 } })
      await world.clock.elapse(700)
      await call.caller.pauses(300)
      const report = await call.session.close()
      expect(report.took).toBeGreaterThan(0)
      expect(report.took).toBeLessThanOrEqual(1_000)
      expect(said(call.session)).toEqual(['user: please cancel my appointment'])
      expectEnded(call)
    }))

  it('[CL6] are kept as interim text when the wait ends', () =>
    inVirtualTime(async (world) => {
      const call = await aTalkingUser(world, { stt: { finalAfter: 'never' } })
      expect(await call.session.close()).toMatchObject({ took: 2_000, clean: true })
      expect(said(call.session)).toEqual(['user: please cancel'])
      expectEnded(call)
    }))

  it('[CL6] are kept if the caller hangs up or is lost in the middle of a word', () =>
    inVirtualTime(async (world) => {
      for (const leave of ['hangsUp', 'vanishes'] as const) {
        const call = await aTalkingUser(world, { stt: { finalAfter: 100 } })
        call.caller[leave]()
        await call.session.afterCall
        expect(said(call.session)).toEqual(['user: please cancel'])
        expectEnded(call)
      }
    }))

  it('[CL6] cause no wait if nothing is pending', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { finalAfter: 'never' }, answers: ['Fine.'] })
      await call.session.start()
      await call.stt.hear('hello there')
      call.stt.final('hello there')
      await world.clock.elapse(5_000)
      expect(await call.session.close()).toMatchObject({ took: 0, clean: true })
      expect(call.stt.log).toEqual([])
      expectEnded(call)
    }))

  it('[CL6] are kept without a wait if they are final but not committed', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { turns: { endpointing: { delay: 2_000 } } })
      await call.session.start()
      call.vad.starts()
      call.vad.stops()
      call.stt.final('see you')
      expect(await call.session.close()).toMatchObject({ took: 0, clean: true })
      expect(said(call.session)).toEqual(['user: see you'])
    }))

  it('[CL6] start no turn, no hook and no reply, even if a turn would be due at once', () =>
    inVirtualTime(async (world) => {
      const hooks: string[] = []
      const call = await aTalkingUser(world, {
        turns: { endpointing: { delay: 0 } },
        stt: { finalAfter: 500 },
        agent: { onTurn: (text) => void hooks.push(text) },
        answers: ['Never said.'],
      })
      const report = await call.session.close()
      await world.clock.elapse(10_000)
      expect(said(call.session)).toEqual(['user: please cancel'])
      expect({ hooks, asked: call.llm.requests, turns: report.usage.turns }).toEqual({
        hooks: [],
        asked: [],
        turns: 0,
      })
      expect(call.log).toEqual(['closed: requested'])
    }))

  it('[CL6] cancel a reply that was begun early', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {
        turns: { preemptive: true, endpointing: { delay: 2_000 } },
        stt: { finalAfter: 'never' },
        answers: [['Never ', { wait: 60_000 }, 'said.']],
      })
      await call.session.start()
      call.vad.starts()
      await call.stt.hear('when do you open')
      call.vad.stops()
      await world.clock.elapse(300)
      expect(call.llm.running).toBe(1)
      await call.session.close()
      expect(call.llm.generations.map(({ how }) => how)).toEqual(['cancelled'])
      expect(said(call.session)).toEqual(['user: when do you open'])
      expectEnded(call)
    }))

  it('[CL6] are not awaited after an error', () =>
    inVirtualTime(async (world) => {
      const call = await aTalkingUser(world, { stt: { finalAfter: 'never' } })
      call.vad.fails()
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ reason: 'error', took: 0 })
      expect(said(call.session)).toEqual([])
    }))

  it('[CL6] take at most half of closeTimeout, so that the links can close', () =>
    inVirtualTime(async (world) => {
      const call = await aTalkingUser(world, {
        stt: { finalAfter: 'never', closeTakes: 400 },
        closeTimeout: 1_000,
      })
      const report = await call.session.close()
      expect(report).toMatchObject({ took: 850, clean: true })
      expect(call.stt.counts).toMatchObject({ closed: 1, aborted: 0 })
      expect(said(call.session)).toEqual(['user: please cancel'])
    }))

  it('[CL6] are awaited for less time if a second close has a shorter closeTimeout', () =>
    inVirtualTime(async (world) => {
      const call = await aTalkingUser(world, { stt: { finalAfter: 'never' } })
      const closed = call.session.close()
      await world.clock.elapse(100)
      call.session.close({ closeTimeout: 100 }).catch(() => {})
      expect((await closed).took).toBeLessThanOrEqual(200)
      expect(said(call.session)).toEqual(['user: please cancel'])
      expectEnded(call)
      expect(call.clockTimers()).toEqual([])
    }))

  it('[CL6] do not include what the user says after closing began', () =>
    inVirtualTime(async (world) => {
      const call = await aTalkingUser(world, { stt: { finalAfter: 1_500 } })
      const heard = call.stt.pushed.live
      await call.session.close()
      expect(call.stt.pushed).toEqual({ live: heard, late: 0 })
      expect(said(call.session)).toEqual(['user: please cancel'])
    }))

  it('[CL6] are not changed by late events of the STT and the VAD', () =>
    inVirtualTime(async (world) => {
      const call = await aTalkingUser(world, { stt: { finalAfter: 1_000, talksAfterEnd: true } })
      const closed = call.session.close()
      await world.clock.elapse(500)
      call.vad.stops()
      call.vad.starts()
      const report = await closed
      expect(report.took).toBe(1_000)
      call.stt.final('too late')
      expect(said(call.session)).toEqual(['user: please cancel'])
      expectEnded(call)
    }))

  it('[CL6] include a turn whose hook is still running', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { agent: { onTurn: never }, hookTimeout: 1_000 })
      await call.session.start()
      call.caller.types('Cancel it, please.')
      await world.clock.elapse(100)
      const report = await call.session.close()
      expect(said(call.session)).toEqual(['user: Cancel it, please.'])
      expect(report.transcript).toHaveLength(1)
      expectEnded(call)
    }))
})

describe('the last words of the agent', () => {
  it('[CL7] are in the history as far as they were heard', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      call.session.say('Good morning, this is Bright Dental, how can I help you?')
      call.session.say('This is not heard.')
      await world.clock.elapse(1_010)
      const report = await call.session.close()
      const [words, ...more] = said(call.session)
      expect(words).toBe('agent: Good morning, this —')
      expect(more).toEqual([])
      expect(report.transcript).toEqual(call.session.history.items)
      const [item] = report.transcript
      expect(call.line.heardText.startsWith(item?.type === 'message' ? item.text : '?')).toBe(true)
      expectEnded(call)
    }))

  it('[CL7] are not in the history if they were not heard', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { tts: { firstAfter: 500 } })
      await call.session.start()
      const speech = call.session.say('Good morning.')
      await world.clock.elapse(400)
      await call.session.close()
      expect(said(call.session)).toEqual([])
      expect(await speech.waitForPlayout()).toMatchObject({ how: 'interrupted', heard: '' })
    }))

  it('[CL7] are complete in the history if they were heard to the end', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      expect(await call.session.hangUp({ say: 'Goodbye.' })).toBe('confirmed')
      expect(call.reports[0]?.transcript).toMatchObject([{ role: 'agent', text: 'Goodbye.' }])
      expectEnded(call)
    }))
})
