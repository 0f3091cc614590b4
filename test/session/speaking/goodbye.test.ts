import { describe, expect, it } from 'vitest'
import { tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aLiveCall, said } from '../fixture.ts'

describe('a goodbye', () => {
  const bye = 'Goodbye, and thank you for calling us.'

  it('[SP8] is heard to its end and confirmed before the line is hung up', () =>
    inVirtualTime(async (world) => {
      const { session, line, reports, clock } = await aLiveCall(world, { line: { latency: 200 } })
      const outcome = session.hangUp({ say: bye })
      await clock.elapse(100)
      expect(session.state).toBe('ending')
      expect(await outcome).toBe('confirmed')
      expect(line.heardText).toBe(bye)
      expect(line.connection.endedAt).toBe(bye.length * 50 + 200)
      expect(reports).toMatchObject([{ reason: 'agent-hung-up', clean: true }])
    }))

  it('[SP8] is never clipped, even if it takes forty seconds', async () => {
    const long = `${'so long and thanks for all the fish '.repeat(22)}and goodbye.`
    expect(long.length * 50).toBeGreaterThan(40_000)
    for (const speed of [Infinity, 1]) {
      await inVirtualTime(async (world) => {
        const { session, line } = await aLiveCall(world, { tts: { speed } })
        expect(await session.hangUp({ say: long })).toBe('confirmed')
        expect(line.heardText).toBe(long)
      })
    }
  })

  it('[SP8] that a tool says may take longer than the timeout of the tool', () =>
    inVirtualTime(async (world) => {
      const long = 'so long and thanks for all the fish '.repeat(5)
      const { session, caller, line, reports } = await aLiveCall(world, {
        answers: [[callTool('bye')], 'Are you still there?'],
        agent: {
          tools: {
            bye: tool({ description: 'Bye', timeout: 2_000, run: (_, { hangUp }) => hangUp({ say: long }) }),
          },
        },
      })
      caller.types('Bye.')
      await session.closed
      expect(line.heardText.trim()).toBe(long.trim())
      expect(reports).toMatchObject([{ reason: 'agent-hung-up', clean: true }])
      expect(reports[0]?.transcript).toContainEqual(
        expect.objectContaining({ name: 'bye', result: expect.objectContaining({ failed: false }) }),
      )
    }))

  it('[SP8] follows speech that is queued', () =>
    inVirtualTime(async (world) => {
      const { session, line } = await aLiveCall(world)
      session.say('One. ')
      session.say('Two. ')
      await session.hangUp({ say: bye })
      expect(line.heardText).toBe(`One. Two. ${bye}`)
    }))

  it('[SP8] follows the reply in flight, including its tool', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await aLiveCall(world, {
        answers: [['Let me see. ', callTool('look')], 'It is free. '],
        agent: { tools: { look: tool({ description: 'Look', run: () => world.clock.elapse(2_000) }) } },
      })
      caller.types('Is it free?')
      await clock.elapse(100)
      expect(await session.hangUp({ say: bye })).toBe('confirmed')
      expect(line.heardText).toBe(`Let me see. It is free. ${bye}`)
    }))

  it('[SP8] [SP5] is unconfirmed after playoutTimeout if the line never confirms', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world, { line: { confirms: false } })
      expect(await session.hangUp({ say: bye })).toBe('unconfirmed')
      expect(line.heardText).toBe(bye)
      expect(clock.now()).toBe(bye.length * 50 + 2_000)
    }))

  it.each(['says goodbye', 'drains'] as const)(
    '[SP8] [SP5] is heard to its end on a line that never confirms: the session %s',
    (how) =>
      inVirtualTime(async (world) => {
        const { session, line, clock } = await aLiveCall(world, { line: { confirms: false, latency: 200 } })
        const first = session.say('Hello. ')
        await first.waitForPlayout()
        const last = how === 'drains' ? session.say(bye) : undefined
        await clock.elapse(100)
        if (last) await session.drain()
        else await session.hangUp({ say: bye })
        expect(line.heardText).toBe(`Hello. ${bye}`)
      }),
  )

  it('[SP5] that was cancelled does not make later speech wait for a line that never confirms', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await aLiveCall(world, { line: { confirms: false } })
      await session.say('Hello. ').waitForPlayout()
      const ending = session.hangUp({ say: bye, cancellable: true })
      await clock.elapse(500)
      caller.says('wait').catch(() => {})
      expect(await ending).toBe('cancelled')
      await clock.elapse(10_000)
      const began = clock.now()
      await session.say('Yes?').waitForPlayout()
      expect(clock.now() - began).toBe('Yes?'.length * 50)
      await session.close()
    }))

  it('[SP8] whose voice stalls ends stallTimeout after the last sound', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock, reports } = await aLiveCall(world, {
        tts: { stallAfter: 500 },
        stallTimeout: 3_000,
      })
      expect(await session.hangUp({ say: bye })).toBe('unconfirmed')
      expect(line.heardText).toBe(bye.slice(0, 10))
      expect(clock.now()).toBe(3_500)
      await session.close()
      expect(reports).toMatchObject([{ reason: 'agent-hung-up' }])
    }))

  it('[SP8] whose voice fails is unconfirmed', () =>
    inVirtualTime(async (world) => {
      const { session } = await aLiveCall(world, { tts: { failAfter: 500 } })
      expect(await session.hangUp({ say: bye })).toBe('unconfirmed')
      expect(session.state).toBe('closed')
    }))

  it('[SP8] is not interrupted by barge-in by default', () =>
    inVirtualTime(async (world) => {
      const { session, caller, line, clock } = await aLiveCall(world)
      const outcome = session.hangUp({ say: bye })
      await clock.elapse(300)
      await caller.says('Wait a moment')
      expect(await outcome).toBe('confirmed')
      expect(line.heardText).toBe(bye)
    }))

  it('[SP8] that is cancellable is cancelled by barge-in, and the conversation goes on', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await aLiveCall(world, { answers: ['Yes?'] })
      const outcome = session.hangUp({ say: bye, cancellable: true })
      await clock.elapse(300)
      await caller.says('Wait a moment')
      await caller.pauses(1_000)
      expect(await outcome).toBe('cancelled')
      expect(session.state).toBe('live')
      await caller.hears('Yes?')
      await clock.elapse(100)
      expect(said(session).slice(1)).toEqual(['user: Wait a moment', 'agent: Yes?'])
      expect(await session.hangUp({ say: 'Bye.' })).toBe('confirmed')
    }))

  it('[SP8] is unconfirmed if the session is closed meanwhile', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world)
      const outcome = session.hangUp({ say: bye })
      await clock.elapse(300)
      await session.close()
      expect(await outcome).toBe('unconfirmed')
      expect(line.heardText).toBe(bye.slice(0, 6))
    }))

  it('[SP8] without words hangs up as soon as the agent is silent', () =>
    inVirtualTime(async (world) => {
      const { session, line, clock } = await aLiveCall(world)
      session.say('One.')
      expect(await session.hangUp()).toBe('confirmed')
      expect([line.heardText, clock.now()]).toEqual(['One.', 200])
    }))
})
