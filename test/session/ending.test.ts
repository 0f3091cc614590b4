import { describe, expect, it } from 'vitest'
import { SessionEndingError, tool } from '../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import { aCall, expectEnded, never, said, type CallOptions } from './fixture.ts'

/** The agent uses a tool that takes `ms`, and then answers. */
async function aCallWithTool(world: World, ms: number, options: CallOptions & { timeout?: number } = {}) {
  const { timeout = 60_000, ...rest } = options
  const call = aCall(world, {
    answers: [['Let me look. ', callTool('look')], 'It is free.'],
    agent: {
      tools: {
        look: tool({
          description: 'Looks',
          timeout,
          run: (_, { signal }) =>
            new Promise((resolve, reject) => {
              world.clock.happen(ms, 'the calendar answers', () => resolve('free'))
              signal.addEventListener('abort', () => reject(signal.reason))
            }),
        }),
      },
    },
    ...rest,
  })
  await call.session.start()
  call.caller.types('Is Monday free?')
  await world.clock.elapse(100)
  return call
}

const whole = ['user: Is Monday free?', 'agent: Let me look. ', 'look → free', 'agent: It is free.']

describe('a graceful end', () => {
  it('[CL3] lets the turn in flight finish, its tool steps and the spoken answer included', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 3_000)
      const report = await call.session.drain({ reason: 'host-draining', by: 'host' })
      expect(said(call.session)).toEqual(whole)
      expect(call.line.heardText).toContain('It is free.')
      expect(report).toMatchObject({
        reason: 'host-draining',
        by: 'host',
        alsoAsked: [],
        took: 0,
        clean: true,
      })
      expectEnded(call)
    }))

  it('[CL3] refuses new work', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 1_000)
      const { session } = call
      const drained = session.drain()
      expect(session.state).toBe('ending')
      expect(() => session.say('More')).toThrow(SessionEndingError)
      expect(() => session.reply()).toThrow(SessionEndingError)
      await expect(session.hangUp()).rejects.toThrow(SessionEndingError)
      call.caller.types('And Tuesday?')
      await drained
      expect(said(session)).toEqual(whole)
      expectEnded(call)
    }))

  it('[CL3] a tool within its own timeout is progress, however long', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 50_000, { stallTimeout: 2_000 })
      await call.session.drain()
      expect(said(call.session)).toEqual(whole)
      expect(world.clock.now()).toBeGreaterThan(50_000)
      expectEnded(call)
    }))

  it('[CL3] a tool beyond its timeout is none', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 600_000, {
        timeout: 5_000,
        answers: [[callTool('look')], 'Sorry.'],
      })
      await call.session.drain()
      expect(said(call.session)).toEqual([
        'user: Is Monday free?',
        "look → 'look' took longer than 5000 ms",
        'agent: Sorry.',
      ])
      expectEnded(call)
    }))

  it('[CL3] a long answer is not clipped: the bound is on stall, not on length', () =>
    inVirtualTime(async (world) => {
      const words = 'All work and no play makes Jack a dull boy. '.repeat(40)
      const call = aCall(world, { answers: [words], stallTimeout: 1_000, tts: { speed: 2 } })
      await call.session.start()
      call.caller.types('Tell me a story.')
      await world.clock.elapse(100)
      await call.session.drain()
      expect(world.clock.now()).toBeGreaterThan(80_000)
      expect(call.line.heardText).toBe(words)
      expectEnded(call)
    }))

  it.each([
    ['a model that stalls', { answers: [['Hm. ', { stall: true as const }]] }],
    ['a voice that stalls', { answers: ['Let me think.'], tts: { stallAfter: 200 } }],
    [
      'a line that never confirms',
      { answers: ['Hm.', 'More.'], line: { confirms: false }, playoutTimeout: 60_000 },
    ],
  ])('[CL3] %s is given up after stallTimeout', (_, options) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stallTimeout: 3_000, ...options })
      await call.session.start()
      call.caller.types('Hello?')
      await world.clock.elapse(100)
      const report = await call.session.drain({ reason: 'host-draining' })
      expect(world.clock.now()).toBeGreaterThanOrEqual(3_000)
      expect(world.clock.now()).toBeLessThan(5_000)
      expect(report).toMatchObject({
        reason: 'host-draining',
        alsoAsked: [{ reason: 'host-draining', by: 'stallTimeout', at: 0 }],
      })
      expectEnded(call)
    }),
  )

  it('[CL3] an approval that nobody gives is a stall', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {
        answers: [[callTool('pay')], 'Paid.'],
        agent: { tools: { pay: tool({ description: 'Pays', approval: true, run: () => 'paid' }) } },
      })
      await call.session.start()
      call.caller.types('Pay it.')
      await world.clock.elapse(100)
      await call.session.drain()
      expect(world.clock.now()).toBe(10_100)
      expect(said(call.session)[1]).toMatch(/^pay → .*(closing|cancelled|closed)/)
      expectEnded(call)
    }))

  it('[CL3] a limit of its own stands above all that', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 50_000, { endTimeout: 4_000 })
      const report = await call.session.drain()
      expect(world.clock.now()).toBe(4_100)
      expect(report.alsoAsked).toMatchObject([{ by: 'endTimeout' }])
      expectEnded(call)
    }))

  it('[CL3] close() ends it at once', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 50_000)
      const drained = call.session.drain({ reason: 'host-draining' })
      await world.clock.elapse(1_000)
      const report = await call.session.close()
      expect(world.clock.now()).toBeLessThan(2_500)
      expect(await drained).toBe(report)
      expect(report).toMatchObject({ reason: 'host-draining', alsoAsked: [{ reason: 'requested' }] })
      expectEnded(call)
    }))

  it('[CL3] a tool that takes no notice holds a close after a drain no longer than any', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {
        answers: [[callTool('look')]],
        agent: { tools: { look: tool({ description: 'Looks', timeout: 60_000, run: never }) } },
      })
      await call.session.start()
      call.caller.types('Look.')
      await world.clock.elapse(100)
      call.session.drain().catch(() => {})
      await world.clock.elapse(100)
      await call.session.close()
      expect(expectEnded(call).took).toBeLessThanOrEqual(5_000)
    }))

  it('[CL3] from every other state it is a close', () =>
    inVirtualTime(async (world) => {
      const fresh = aCall(world)
      await fresh.session.drain()
      expectEnded(fresh)
      const starting = aCall(world, { llm: { openHangs: true } })
      const start = starting.session.start()
      await starting.session.drain()
      await expect(start).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
      expectEnded(starting)
      expect(await starting.session.drain()).toBe(starting.reports[0])
      const closing = aCall(world, { stt: { closeTakes: 500 } })
      await closing.session.start()
      const closed = closing.session.close()
      expect(await closing.session.drain()).toBe(await closed)
      expect(expectEnded(closing).alsoAsked).toEqual([])
    }))

  it('[CL3] [CL6] a close in a hurry leaves the last words of a drained session no more than its own time', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 50_000, { stt: { finalAfter: 'never', closeTakes: 100 } })
      call.session.drain().catch(() => {})
      call.caller.says('and also').catch(() => {})
      await world.clock.elapse(200)
      const report = await call.session.close({ closeTimeout: 400 })
      expect(report).toMatchObject({ took: 280, clean: true })
      expectEnded(call)
    }))

  it('[CL3] twice is once', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 1_000)
      const [one, two] = await Promise.all([
        call.session.drain({ by: 'one' }),
        call.session.drain({ by: 'two' }),
      ])
      expect(one).toBe(two)
      expect(said(call.session)).toEqual(whole)
      expect(one.by).toBe('one')
      expectEnded(call)
    }))

  it('[CL3] closing from the listener that is told of the end', () =>
    inVirtualTime(async (world) => {
      for (const end of ['drain', 'hangUp'] as const) {
        const call = await aCallWithTool(world, 1_000, { endTimeout: 60_000 })
        call.session.on('state', ({ state }) => {
          if (state === 'ending') call.session.close().catch(() => {})
        })
        await call.session[end]()
        await call.session.afterCall
        expectEnded(call)
      }
    }))

  it('[CL3] a clock that leaps ahead does not leave it hanging', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { answers: [[{ stall: true }]] })
      await call.session.start()
      call.caller.types('Hello?')
      await world.clock.elapse(100)
      const drained = call.session.drain()
      world.clock.jump(86_400_000)
      await drained
      expectEnded(call)
    }))
})

interface Ways {
  readonly close?: boolean
  readonly gone?: boolean
  readonly stays?: boolean
}

const hungUp = { output: 'hung up', failed: false }

describe('a goodbye', () => {
  it.each([
    ['closes', { close: true }, { output: 'closed', failed: false }],
    ['hangs up, and the caller is faster', { gone: true }, hungUp],
    ['wants to hang up, and was told not to', { stays: true }, { output: 'never mind', failed: false }],
  ])('[TL2] in a tool that %s has its result', (_, { close, gone, stays }: Ways, result) =>
    inVirtualTime(async (world) => {
      const endCall = tool({
        description: 'Ends the call',
        run: async (_input, context) => {
          if (close) return await context.close()
          const how = await context.hangUp({ say: 'Goodbye, and thank you.', cancellable: stays === true })
          return how === 'cancelled' ? 'never mind' : how
        },
      })
      const call = aCall(world, { answers: [[callTool('endCall')], 'Yes?'], agent: { tools: { endCall } } })
      await call.session.start()
      call.caller.types('That was all.')
      await world.clock.elapse(300)
      if (gone) call.caller.hangsUp()
      if (stays) {
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
    ['was called off', true],
    ['was refused', false],
  ])('[TL2] in a tool that %s leaves a tool that can be cancelled', (_, calledOff) =>
    inVirtualTime(async (world) => {
      const endCall = tool({
        description: 'Ends the call',
        run: async (_input, { hangUp }) => {
          await hangUp({ say: 'Goodbye, and thank you.', cancellable: true }).catch(() => {})
          return never()
        },
      })
      const call = aCall(world, { answers: [[callTool('endCall')], 'Yes?'], agent: { tools: { endCall } } })
      // Whoever is told that it is called hangs up first.
      if (!calledOff) call.session.on('tool', () => void call.session.hangUp().catch(() => {}))
      await call.session.start()
      call.caller.types('That was all.')
      await world.clock.elapse(300)
      if (calledOff) {
        await call.caller.says('Wait, one more thing!')
        await call.caller.pauses(2_000)
      }
      await call.session.close()
      expect(said(call.session)).toContain("endCall → 'endCall' was cancelled")
      expectEnded(call)
    }),
  )

  it('[CL3] comes after the turn in flight, and after it comes nothing', () =>
    inVirtualTime(async (world) => {
      const call = await aCallWithTool(world, 3_000)
      expect(await call.session.hangUp({ say: 'Goodbye.' })).toBe('confirmed')
      expect(said(call.session)).toEqual([...whole, 'agent: Goodbye.'])
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

  it('[CL3] that the caller talks into leaves the session as live as before, if it may', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { answers: ['Of course.'] })
      await call.session.start()
      const outcome = call.session.hangUp({ say: 'Goodbye, and thank you for your call.', cancellable: true })
      const drained = call.session.drain({ by: 'later' })
      await world.clock.elapse(300)
      await call.caller.says('Wait, one more thing!')
      expect(await outcome).toBe('cancelled')
      // The drain has waited for it, and now has its own way.
      const report = await drained
      expect(report.by).toBe('later')
      expectEnded(call)
    }))

  it('[CL3] that was cancelled is followed by an answer', () =>
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
      // The bounds of the end that was called off are called off, too.
      await world.clock.elapse(20_000)
      expect(call.session.state).toBe('live')
      await call.session.close()
      expectEnded(call)
    }))

  it('[SP8] in a tool, without a goodbye, lets the words before it be heard to their end', () =>
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

  it('[CL3] in a tool does not wait for the tool, nor the tool for the close', () =>
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

  it('[CL3] refuses what its own listeners ask for', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { turns: { falseInterruption: {} } })
      const errors: unknown[] = []
      await call.session.start()
      call.session.say('This takes about two seconds to say.')
      await world.clock.elapse(300)
      call.vad.starts()
      call.session.on('spoken', () => {
        try {
          call.session.say('More.')
        } catch (error) {
          errors.push(error)
        }
      })
      await call.session.drain()
      expect(errors).toHaveLength(1)
      expect(call.line.heardText).not.toContain('More')
      expectEnded(call)
    }))
})
