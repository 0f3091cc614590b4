import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tool } from '../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../src/testing/index.ts'
import { aCall, said } from './fixture.ts'

describe('a conversation', () => {
  it('hears the caller, answers, and records what was heard', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, log, clock } = aCall(world, {
        answers: ['We are open until six.'],
        agent: { onEnter: ({ session: call }) => call.say('Good morning!') },
      })
      await session.start()
      await caller.hears('Good morning!')
      await caller.says('When do you close?')
      await caller.pauses(1_000)
      await caller.hears('We are open until six.')
      await clock.elapse(500)
      expect(said(session)).toEqual([
        'agent: Good morning!',
        'user: When do you close?',
        'agent: We are open until six.',
      ])
      const report = await session.close()
      expect(log).toEqual([
        'agent played: Good morning!',
        'user: When do you close?',
        'agent played: We are open until six.',
        'closed: requested',
      ])
      expect(report).toMatchObject({ reason: 'requested', clean: true, took: 0, usage: { turns: 1 } })
      expect(line.counts).toMatchObject({ opened: 1, live: 0 })
      expect(line.playedTooLate).toEqual([])
    }))

  it('uses a tool, with separate speeches before and after it', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = aCall(world, {
        answers: [['Let me look. ', callTool('findSlot', { day: 'Monday' })], 'Monday at ten is free.'],
        agent: {
          tools: {
            findSlot: tool({
              description: 'Find a free slot',
              input: z.object({ day: z.string() }),
              run: async ({ day }) => ({ day, hour: 10 }),
            }),
          },
        },
      })
      await session.start()
      caller.types('Do you have time on Monday?')
      await caller.hears('Monday at ten is free.')
      await clock.elapse(100)
      expect(said(session)).toEqual([
        'user: Do you have time on Monday?',
        'agent: Let me look. ',
        'findSlot → {"day":"Monday","hour":10}',
        'agent: Monday at ten is free.',
      ])
      expect((await session.close()).clean).toBe(true)
    }))

  it('[PG5] takes what was typed and pressed while it started, once it is live', () =>
    inVirtualTime(async (world) => {
      const { session, caller, faults, clock, line } = aCall(world, {
        answers: ['From eight.'],
        agent: { onEnter: (entered) => entered.session.say('Good morning.') },
        turns: { dtmf: { count: 2 } },
      })
      const digits: string[] = []
      session.on('digits', (entered) => digits.push(entered.digits))
      faults.set('open:tts', { late: 500 })
      const starting = session.start()
      await clock.elapse(100)
      expect(line.counts.live).toBe(1)
      caller.presses('4')
      caller.presses('2')
      caller.types('When are you open?')
      for (let count = 0; count < 100; count++) caller.presses('9')
      await clock.elapse(100)
      expect(said(session)).toEqual([])
      await starting
      await caller.hears('From eight.')
      await clock.elapse(10_000)
      expect(said(session)).toEqual([
        'user: When are you open?',
        'agent: Good morning.',
        'agent: From eight.',
      ])
      // No caller presses a hundred keys within seconds: the last ones are dropped.
      expect(digits.join('')).toBe(`42${'9'.repeat(47)}`)
      expect((await session.close()).clean).toBe(true)
    }))

  it('[SP6] has an interrupted speech in its history as far as it was heard', () =>
    inVirtualTime(async (world) => {
      const { session, caller, log, clock } = aCall(world, { answers: ['Fine.'] })
      await session.start()
      const speech = session.say('Good morning, this is Bright Dental, how can I help you today?')
      await clock.elapse(1_010)
      await caller.says('I want to cancel.')
      await caller.pauses(1_000)
      expect(await speech.waitForPlayout()).toMatchObject({ how: 'interrupted', confirmed: true })
      await caller.hears('Fine.')
      await clock.elapse(100)
      expect(said(session)[0]).toMatch(/^agent: Good morning, this is Bright D\w* —$/)
      expect(said(session).slice(1)).toEqual(['user: I want to cancel.', 'agent: Fine.'])
      expect(log[0]).toMatch(/^agent interrupted/)
      await session.close()
    }))
})
