import { describe, expect, it } from 'vitest'
import { SessionClosedError, type AfterCall, type SessionReport } from '../../../src/session/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { aCall, aLogger, expectEnded, never, said } from '../fixture.ts'

/** Ways in which a function of the application can misbehave. */
const misbehaviours: [name: string, misbehave: () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('mine')
    },
  ],
  ['rejects', () => Promise.reject(new Error('mine'))],
  ['hangs', never],
]

describe('a listener', () => {
  it.each(misbehaviours)('[CL5] that %s affects nothing else', (_, misbehave) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { answers: ['Fine.'] })
      const { session } = call
      const heard: string[] = []
      for (const event of ['started', 'state', 'user', 'speaking', 'spoken', 'error', 'closed'] as const) {
        session.on(event, misbehave)
        session.on(event, () => heard.push(event))
      }
      await session.start()
      call.caller.types('Hello?')
      await call.caller.hears('Fine.')
      await world.clock.elapse(100)
      await session.close()
      await world.clock.elapse(100)
      expect(new Set(heard.filter((event) => event !== 'error'))).toEqual(
        new Set(['state', 'started', 'user', 'speaking', 'spoken', 'closed']),
      )
      expect(heard.at(-1)).toBe('closed')
      const { scope, errors, clean } = expectEnded(call)
      expect(scope.clean).toBe(true)
      // What the application did wrong is in the report.
      expect(clean).toBe(misbehave === never)
      expect(errors.every(({ where }) => where.startsWith('listener of'))).toBe(true)
    }),
  )

  it('[CL5] that subscribes again whenever it is called causes no endless loop', () =>
    inVirtualTime(async (world) => {
      const { session } = aCall(world)
      let calls = 0
      const again = (): void => {
        calls++
        session.on('state', again)
      }
      session.on('state', again)
      await session.start()
      await session.close()
      expect(calls).toBe(1 + 2 + 4)
    }))

  it('[CL5] of `closed` that throws causes no event after `closed`', () =>
    inVirtualTime(async (world) => {
      const { logger, lines } = aLogger()
      const { session, log } = aCall(world, { logger })
      const order: string[] = []
      session.on('closed', () => {
        throw new Error('mine')
      })
      for await (const { type } of (async function* () {
        const events = session.events()
        await session.start()
        await session.close()
        yield* events
      })())
        order.push(type)
      expect(order.slice(-2)).toEqual(['state', 'closed'])
      expect(log).toEqual(['closed: requested'])
      expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
        { fields: { where: "listener of 'closed'" } },
      ])
    }))
})

describe('a hook', () => {
  it.each(misbehaviours)(
    '[CL5] that %s is bounded and reported, and affects nothing else',
    (how, misbehave) =>
      inVirtualTime(async (world) => {
        const call = aCall(world, {
          hookTimeout: 1_000,
          answers: ['Fine.'],
          agent: { onEnter: misbehave, onTurn: misbehave as () => never, onExit: misbehave },
        })
        await call.session.start()
        const typedAt = world.clock.now()
        call.caller.types('Hello?')
        await call.caller.hears('Fine.')
        await world.clock.elapse(2_000)
        expect(world.clock.now() - typedAt).toBeLessThan(4_000)
        expect(call.log.slice(0, 2).toSorted()).toEqual([
          "error: enter hook of 'desk'",
          "error: turn hook of 'desk'",
        ])
        expect(said(call.session)).toEqual(['user: Hello?', 'agent: Fine.'])
        const report = await call.session.close()
        expectEnded(call)
        expect(report.took).toBeLessThanOrEqual(how === 'hangs' ? 5_000 : 0)
      }),
  )

  it('[CL4] [CL5] that hangs on exit delays neither the line nor the links', () =>
    inVirtualTime(async (world) => {
      const closes: string[] = []
      const store = { name: 'store', close: () => void closes.push('store'), abort: () => {} }
      const call = aCall(world, {
        agent: {
          onExit: never,
          toolsets: [{ name: 'set', open: async ({ scope }) => (scope.own('store', store), {}) }],
        },
      })
      await call.session.start()
      const closed = call.session.close()
      await world.clock.elapse(0)
      await world.clock.elapse(0)
      expect(call.line.connection.endedAt).toBe(0)
      for (const part of [call.line, call.stt, call.tts, call.llm]) expect(part.counts.closed).toBe(1)
      expect(closes).toEqual(['store'])
      const report = await closed
      expect(report).toMatchObject({ clean: false })
      expectEnded(call)
    }))

  it('[CL4] runs in the last phase, together with toolsets, which close after the line', () =>
    inVirtualTime(async (world) => {
      const lines: number[] = []
      const call = aCall(world, {
        line: { closeTakes: 300 },
        agent: {
          toolsets: [
            {
              name: 'set',
              open: async ({ scope }) => {
                scope.own('store', { close: () => void lines.push(call.line.counts.live), abort: () => {} })
                return {}
              },
            },
          ],
        },
      })
      await call.session.start()
      expect((await call.session.close()).took).toBe(300)
      expect(lines).toEqual([0])
    }))

  it('[CL5] has its own time on exit, even if the session closes', () =>
    inVirtualTime(async (world) => {
      const done: boolean[] = []
      const call = aCall(world, {
        agent: {
          onExit: async ({ signal }) => {
            await world.clock.elapse(1_500)
            done.push(signal.aborted)
          },
        },
      })
      await call.session.start()
      expect(await call.session.close()).toMatchObject({ took: 1_500, clean: true })
      expect(done).toEqual([false])
      expectEnded(call)
    }))

  it('[CL4] that hangs in a turn does not delay the close of any part', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { agent: { onTurn: never }, hookTimeout: 60_000 })
      await call.session.start()
      call.caller.types('Hello?')
      await world.clock.elapse(100)
      const closed = call.session.close()
      await world.clock.elapse(1)
      expect(call.stt.counts.live).toBe(0)
      await closed
      expectEnded(call)
    }))

  it('[CL5] that rejects late causes no unhandled rejection, and is reported to onLate', () =>
    inVirtualTime(async (world) => {
      const rejectLate = async (): Promise<void> => {
        await world.clock.elapse(20_000)
        throw new Error('late')
      }
      const late: string[] = []
      const call = aCall(world, {
        agent: { onEnter: rejectLate, onExit: rejectLate },
        onLate: ({ name, outcome }) => late.push(`${name}: ${outcome}`),
      })
      await call.session.start()
      await call.session.close()
      expectEnded(call)
      await world.clock.elapse(60_000)
      expect(late.toSorted()).toEqual(["enter hook of 'desk': failed", "exit hook of 'desk': failed"])
    }))
})

describe('an after-call handler', () => {
  it('[CL5] runs after `closed` with the report, and is awaited', () =>
    inVirtualTime(async (world) => {
      const order: string[] = []
      const reports: SessionReport[] = []
      const handler: AfterCall = async (report) => {
        order.push('started')
        await world.clock.elapse(5_000)
        reports.push(report)
        order.push('done')
      }
      const call = aCall(world, { afterCall: handler })
      call.session.on('closed', () => order.push('closed'))
      await call.session.start()
      await call.session.close()
      await call.session.afterCall
      expect(order).toEqual(['closed', 'started', 'done'])
      expect(reports).toEqual(call.reports)
    }))

  it.each(misbehaviours)(
    '[CL5] that %s affects no other handler, and has its own timeout',
    (how, misbehave) =>
      inVirtualTime(async (world) => {
        const { logger, lines } = aLogger()
        const done: string[] = []
        const call = aCall(world, {
          logger,
          afterCallTimeout: 10_000,
          afterCall: [
            misbehave,
            async (_, { signal }) => {
              await world.clock.elapse(9_000)
              done.push(signal.aborted ? 'aborted' : 'saved')
            },
          ],
        })
        await call.session.start()
        await call.session.close()
        await call.session.afterCall
        expect(done).toEqual(['saved'])
        expect(world.clock.now()).toBeLessThanOrEqual(15_000)
        expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1)
        expect(lines.at(-1)?.message).toMatch(how === 'hangs' ? /took longer than 10000 ms/ : /failed/)
        expectEnded(call)
        expect(call.clockTimers()).toEqual([])
      }),
  )

  it('[CL5] that hangs is cancelled by its signal, and its late outcome goes to onLate', () =>
    inVirtualTime(async (world) => {
      const late: string[] = []
      let aborted = false
      const call = aCall(world, {
        afterCallTimeout: 1_000,
        onLate: ({ name, outcome }) => late.push(`${name}: ${outcome}`),
        afterCall: async function save(_, { signal }) {
          signal.addEventListener('abort', () => {
            aborted = true
          })
          await world.clock.elapse(30_000)
          throw new Error('late')
        },
      })
      await call.session.start()
      await call.session.close()
      await call.session.afterCall
      expect(aborted).toBe(true)
      await world.clock.elapse(60_000)
      expect(late).toEqual(['save: failed'])
    }))

  it('[CL5] runs for every session that was started, even if the start failed or was closed', () =>
    inVirtualTime(async (world) => {
      const ran: string[] = []
      const afterCall: AfterCall = ({ reason }) => void ran.push(reason)
      const failed = aCall(world, { afterCall, llm: { openFails: new Error('no') } })
      await expect(failed.session.start()).rejects.toThrow('no')
      await failed.session.afterCall
      const closed = aCall(world, { afterCall, llm: { openHangs: true } })
      const starting = closed.session.start()
      await closed.session.close()
      await expect(starting).rejects.toThrow(SessionClosedError)
      await closed.session.afterCall
      const unused = aCall(world, { afterCall })
      await unused.session.close()
      await unused.session.afterCall
      expect(ran).toEqual(['start-failed', 'requested'])
    }))
})
