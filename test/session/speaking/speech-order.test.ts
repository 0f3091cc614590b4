import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, greeting, said } from '../fixture.ts'

describe('the history of speech', () => {
  it('[SP6] has no item for a speech that was interrupted before its first frame', () =>
    inVirtualTime(async (world) => {
      const { session, line, log, clock } = await aLiveCall(world, { tts: { firstAfter: 300 } })
      const speech = session.say(greeting)
      const waiting = session.say('Later.')
      await clock.elapse(200)
      waiting.interrupt()
      speech.interrupt()
      expect(speech.outcome).toEqual({ how: 'interrupted', confirmed: true, heard: '' })
      await clock.elapse(1_000)
      expect(said(session)).toEqual([])
      expect(line.heard).toEqual([])
      expect(log).toEqual(['agent interrupted: ', 'agent interrupted: '])
      await session.close()
    }))

  it('[SP6] has the part of a reply that was heard, not the part that was generated', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await aLiveCall(world, { answers: [greeting, 'Fine.'] })
      caller.types('Hello')
      await clock.elapse(500)
      caller.types('Stop')
      await caller.hears('Fine.')
      await clock.elapse(100)
      expect(said(session)).toEqual(['user: Hello', 'agent: Good morn —', 'user: Stop', 'agent: Fine.'])
      await session.close()
    }))

  it('[SP6] includes what has been heard of the current speech when a reply is requested', () =>
    inVirtualTime(async (world) => {
      const { session, llm, clock } = await aLiveCall(world, { answers: ['And more.'] })
      session.say(greeting)
      await clock.elapse(500)
      await session.reply().waitForPlayout()
      expect(llm.requests[0]?.messages).toEqual([{ role: 'agent', text: 'Good morn' }])
      expect(said(session)).toEqual([`agent: ${greeting}`, 'agent: And more.'])
      await session.close()
    }))
})

describe('the queue of speech', () => {
  it('[SP6] is ordered by priority, never overtakes the current speech, and enters the history in the order heard', () =>
    inVirtualTime(async (world) => {
      const { session, line } = await aLiveCall(world)
      const speeches = [
        session.say('One. '),
        session.say('Two. '),
        session.say('Urgent. ', { priority: 5 }),
        session.say('Last. ', { priority: -1 }),
        session.say('Also urgent. ', { priority: 5 }),
      ]
      await Promise.all(speeches.map((speech) => speech.waitForPlayout()))
      const order = ['One. ', 'Urgent. ', 'Also urgent. ', 'Two. ', 'Last. ']
      expect(line.heardText).toBe(order.join(''))
      expect(said(session)).toEqual(order.map((text) => `agent: ${text}`))
      await session.close()
    }))

  it('[SP6] speaks a stream of text as it arrives, and fails if the stream does', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(world)
      const words = async function* () {
        yield 'One two '
        await clock.elapse(1_000)
        yield 'three '
        throw new Error('the stream failed')
      }
      const outcome = await session.say(words()).waitForPlayout()
      expect(outcome).toMatchObject({
        how: 'failed',
        heard: 'One two',
        error: new Error('the stream failed'),
      })
      await session.close()
    }))
})
