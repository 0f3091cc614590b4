import { describe, expect, it } from 'vitest'
import { SessionClosedError, tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, expectEnded, never, said } from '../fixture.ts'
import { aCallWithTool, fullConversation } from './call-with-tool.ts'

interface Behaviour {
  readonly close?: boolean
  readonly callerHangsUp?: boolean
  readonly callerStays?: boolean
}

const hungUp = { output: 'hung up', failed: false }

describe('a goodbye', () => {
  it.each([
    ['closes', { close: true }, { output: 'closed', failed: false }],
    ['hangs up after the caller', { callerHangsUp: true }, hungUp],
    ['hangs up, but is cancelled', { callerStays: true }, { output: 'never mind', failed: false }],
  ])(
    '[TL2] in a tool that %s leaves one tool result',
    (_, { close, callerHangsUp, callerStays }: Behaviour, result) =>
      inVirtualTime(async (world) => {
        const endCall = tool({
          description: 'Ends the call',
          run: async (_input, context) => {
            if (close) return await context.close()
            const how = await context.hangUp({
              say: 'Goodbye, and thank you.',
              cancellable: callerStays === true,
            })
            return how === 'cancelled' ? 'never mind' : how
          },
        })
        const call = aCall(world, { answers: [[callTool('endCall')], 'Yes?'], agent: { tools: { endCall } } })
        await call.session.start()
        call.caller.types('That was all.')
        await world.clock.elapse(300)
        if (callerHangsUp) call.caller.hangsUp()
        if (callerStays) {
          await call.caller.says('Wait, one more thing!')
          await call.caller.pauses(2_000)
          await call.session.close()
        }
        await call.session.afterCall
        expect(call.session.history.items).toContainEqual(
          expect.objectContaining({ name: 'endCall', result: expect.objectContaining(result) }),
        )
        expectEnded(call)
      }),
  )

  it.each([
    ['was cancelled by the caller', true],
    ['was rejected', false],
  ])('[TL2] that %s leaves its tool cancellable', (_, isCancelled) =>
    inVirtualTime(async (world) => {
      const endCall = tool({
        description: 'Ends the call',
        run: async (_input, { hangUp }) => {
          await hangUp({ say: 'Goodbye, and thank you.', cancellable: true }).catch(() => {})
          return never()
        },
      })
      const call = aCall(world, { answers: [[callTool('endCall')], 'Yes?'], agent: { tools: { endCall } } })
      // The listener hangs up before the tool does.
      if (!isCancelled) call.session.on('tool', () => void call.session.hangUp().catch(() => {}))
      await call.session.start()
      call.caller.types('That was all.')
      await world.clock.elapse(300)
      if (isCancelled) {
        await call.caller.says('Wait, one more thing!')
        await call.caller.pauses(2_000)
      }
      await call.session.close()
      expect(said(call.session)).toContain("endCall → 'endCall' was cancelled")
      expectEnded(call)
    }),
  )

  it('[CL3] follows the turn in flight and is the last thing said', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 3_000)
      expect(await call.session.hangUp({ say: 'Goodbye.' })).toBe('confirmed')
      expect(said(call.session)).toEqual([...fullConversation, 'agent: Goodbye.'])
      expect(expectEnded(call)).toMatchObject({ reason: 'agent-hung-up', clean: true })
    }))

  it('[CL3] is not cut off by a drain', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      const outcome = call.session.hangUp({ say: 'Goodbye, and thank you for your call.' })
      await world.clock.elapse(100)
      const report = await call.session.drain({ reason: 'host-draining' })
      expect(await outcome).toBe('confirmed')
      expect(report.reason).toBe('agent-hung-up')
      expect(call.line.heardText).toBe('Goodbye, and thank you for your call.')
      expectEnded(call)
    }))

  it('[CL3] that the caller cancels is followed by a drain that was requested meanwhile', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { answers: ['Of course.'] })
      await call.session.start()
      const outcome = call.session.hangUp({ say: 'Goodbye, and thank you for your call.', cancellable: true })
      const drained = call.session.drain({ by: 'later' })
      await world.clock.elapse(300)
      await call.caller.says('Wait, one more thing!')
      expect(await outcome).toBe('cancelled')
      // The drain has waited for the goodbye, and now ends the session.
      const report = await drained
      expect(report.by).toBe('later')
      expectEnded(call)
    }))

  it('[CL3] that the caller cancels is followed by an answer, and its timeouts no longer apply', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { answers: ['Of course.'], endTimeout: 4_000, stallTimeout: 4_000 })
      await call.session.start()
      const outcome = call.session.hangUp({ say: 'Goodbye, and thank you for your call.', cancellable: true })
      await world.clock.elapse(300)
      await call.caller.says('Wait, one more thing!')
      expect(await outcome).toBe('cancelled')
      expect(call.session.state).toBe('live')
      await call.caller.pauses(1_000)
      await call.caller.hears('Of course.')
      await world.clock.elapse(20_000)
      expect(call.session.state).toBe('live')
      await call.session.close()
      expectEnded(call)
    }))

  it('[SP8] without words, in a tool, lets the words before the tool be heard to their end', () =>
    inVirtualTime(async (world) => {
      const endCall = tool({ description: 'Ends the call', run: (_, { hangUp }) => hangUp() })
      const call = aCall(world, {
        answers: [['It was a pleasure. ', callTool('endCall')]],
        agent: { tools: { endCall } },
      })
      await call.session.start()
      call.caller.types('That was all.')
      await call.session.afterCall
      expect(call.line.heardText).toBe('It was a pleasure. ')
      expect(expectEnded(call)).toMatchObject({ reason: 'agent-hung-up', clean: true })
    }))

  it('[CL3] in a tool does not wait for the tool, and the tool does not wait for the close', () =>
    inVirtualTime(async (world) => {
      const outcomes: string[] = []
      const call = aCall(world, {
        answers: [['It was a pleasure. ', callTool('endCall')], 'Never said.'],
        agent: {
          tools: {
            endCall: tool({
              description: 'Ends the call',
              run: async (_, { hangUp }) => {
                outcomes.push(await hangUp({ say: 'Goodbye.' }))
                return 'bye'
              },
            }),
          },
        },
      })
      await call.session.start()
      call.caller.types('That was all.')
      await call.session.afterCall
      expect(outcomes).toEqual(['confirmed'])
      expect(call.line.heardText).toBe('It was a pleasure. Goodbye.')
      expect(call.session.history.items).toContainEqual(
        expect.objectContaining({ name: 'endCall', result: expect.objectContaining(hungUp) }),
      )
      expect(expectEnded(call)).toMatchObject({
        reason: 'agent-hung-up',
        took: 0,
        clean: true,
        alsoAsked: [],
      })
      expect(call.llm.requests).toHaveLength(1)
    }))

  it('[CL3] and a drain reject new work that listeners request', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { turns: { falseInterruption: {} } })
      const errors: unknown[] = []
      await call.session.start()
      call.session.say('This takes about two seconds to say.')
      await world.clock.elapse(300)
      call.vad.starts()
      call.session.on('spoken', () => {
        errors.push(call.session.say('More.').outcome?.error)
      })
      await call.session.drain()
      expect(errors).toEqual([expect.any(SessionClosedError)])
      expect(call.line.heardText).not.toContain('More')
      expectEnded(call)
    }))
})
