import { describe, expect, it } from 'vitest'
import { Agent, AgentTask, SessionClosedError, tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, expectEnded, never } from '../fixture.ts'
import { aBusyCall } from './busy-call.ts'

describe('a closing session', () => {
  it('[CL9] is silent from the first moment, however much is queued', () =>
    inVirtualTime(async (world) => {
      const call = await aBusyCall(world)
      const { session, line } = call
      session.say('And this, and that, and more.')
      expect(line.connection.queued).toBeGreaterThan(0)
      const closed = session.close()
      expect(line.connection.queued).toBe(0)
      await closed
      await world.clock.elapse(10_000)
      expectEnded(call)
    }))

  it('[CL9] is silent even if the voice ignores its signal', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { tts: { ignoresSignal: true, speed: 1 } })
      await call.session.start()
      call.session.say('This is going to take quite some time to say.')
      await world.clock.elapse(500)
      await call.session.close()
      await world.clock.elapse(10_000)
      expectEnded(call)
    }))

  it('[CL9] hangs up a line even if it cannot be cleared', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      call.session.say('Hello, hello, hello.')
      await world.clock.elapse(100)
      call.line.connection.clear = () => {
        throw new Error('no such stream')
      }
      await call.session.close()
      expectEnded(call)
      expect(call.log).toContain('error: line')
    }))
})

describe('methods of a closing session', () => {
  it('[CL10] fail at once and have no effect', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { closeTakes: 1_000 }, answers: ['No.'] })
      const { session } = call
      await session.start()
      const closed = session.close()
      const check = async (state: string): Promise<void> => {
        const speech = session.say('Hello')
        expect(speech.outcome).toMatchObject({
          how: 'failed',
          heard: '',
          error: expect.any(SessionClosedError),
        })
        expect(await speech.waitForPlayout()).toBe(speech.outcome)
        const reply = session.reply()
        expect(reply).toMatchObject({ hasEnded: true, speeches: [], outcome: { how: 'failed' } })
        expect((await reply.finished).error).toBeInstanceOf(SessionClosedError)
        speech.interrupt()
        reply.interrupt()
        session.commitTurn()
        session.discardTurn()
        await expect(session.handOff(new Agent({ instructions: 'next' }))).rejects.toThrow(SessionClosedError)
        await expect(session.hangUp()).rejects.toThrow(SessionClosedError)
        expect(session.approve('call-1', true)).toBe(false)
        session.interrupt()
        expect(session.state).toBe(state)
      }
      await check('closing')
      call.caller.types('Hello?')
      await closed
      await check('closed')
      expect(call.llm.requests).toEqual([])
      expect(session.history.items).toEqual([])
      expectEnded(call)
    }))

  it('[CL10] fail in a tool that is still allowed to finish', () =>
    inVirtualTime(async (world) => {
      const errors: unknown[] = []
      const call = await aBusyCall(world, {
        agent: {
          tools: {
            look: tool({
              description: 'Books',
              finishWithin: 2_000,
              run: async (_, { say, run }) => {
                await world.clock.elapse(1_000)
                const task = new AgentTask<void>({ instructions: '', tools: () => ({}) })
                errors.push(say('Booked!').outcome?.error)
                await run(task).catch((error: unknown) => errors.push(error))
              },
            }),
          },
        },
      })
      await call.session.close()
      expect(errors).toHaveLength(2)
      for (const error of errors) expect(error).toBeInstanceOf(SessionClosedError)
      expectEnded(call)
    }))

  it('[CL10] leave no pending promise', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {
        answers: [[callTool('look')], [{ stall: true }]],
        agent: {
          tools: { look: tool({ description: 'Looks', approval: true, run: () => 'never' }) },
          onExit: never,
        },
      })
      const { session, line } = call
      await session.start()
      line.connection.play = () => {}
      const speech = session.say('One.')
      const queued = session.say('Two.')
      const endless = session.say(
        (async function* () {
          yield 'Three'
          await never()
        })(),
      )
      const reply = session.reply()
      const pending = [
        speech.waitForPlayout(),
        queued.waitForPlayout(),
        endless.waitForPlayout(),
        reply.finished,
        reply.waitForPlayout(),
        session.handOff(new Agent({ instructions: 'next' })),
        session.events().next(),
      ]
      await world.clock.elapse(10)
      await session.close()
      const settled = await Promise.allSettled(pending)
      expect(settled.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'fulfilled',
        'fulfilled',
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      expect((settled[5] as PromiseRejectedResult).reason).toBeInstanceOf(SessionClosedError)
      expectEnded(call)
    }))

  it('[CL10] fail in a session that was never started, with a message that says so', () => {
    const { session } = aCall({ clock: { now: () => 0, date: () => 0 } } as never)
    expect(() => session.say('Hello')).toThrow('not started')
  })
})
