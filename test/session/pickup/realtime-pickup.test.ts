import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aRealtimeCall } from '../answering/realtime-fixture.ts'
import { said } from '../fixture.ts'

describe('who answered, for a realtime model', () => {
  it('[MD1] is a person whose greeting the model answers once that is known', () =>
    inVirtualTime(async (world) => {
      const answered: string[] = []
      const { session, caller, realtime } = aRealtimeCall(world, {
        realtime: { answers: ['Never heard.', 'Hello, this is Bright Dental.', 'No.'] },
        agent: {
          onEnter: async (context) => {
            const { by, how } = await context.session.answeredBy()
            answered.push(`${by} by ${how}`)
          },
        },
        line: { streams: true },
      })
      await session.start()
      await caller.says('Hello?')
      await caller.hears('this is Bright Dental.')
      await world.clock.elapse(2_000)
      expect(answered).toEqual(['person by greeting'])
      expect(said(session)).toEqual(['user: Hello?', 'agent: Hello, this is Bright Dental.'])
      expect(realtime.answersGiven.length).toBeLessThanOrEqual(2)
      expect((await session.close()).clean).toBe(true)
    }))

  it('[MD1] is a machine that gets a message, and no answer of the model', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line } = aRealtimeCall(world, {
        // The model is asked to say the message, and is kept from answering the greeting.
        realtime: { answers: Array.from({ length: 5 }, () => 'Please call back.') },
        agent: {
          onEnter: async (context) => {
            const { by } = await context.session.answeredBy()
            if (by === 'machine') await context.session.leaveMessage('Please call back.')
          },
        },
        line: { streams: true },
      })
      await session.start()
      await caller.says('You have reached Tom. Please leave a message after the tone.')
      const report = await session.closed
      expect(report).toMatchObject({ answered: { by: 'machine' }, messages: [{ heard: true }] })
      expect(line.heardText).toBe('Please call back.')
    }))
})
