import { describe, expect, it } from 'vitest'
import { SessionClosedError, tool, type AfterCall, type SessionReport } from '../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../src/testing/index.ts'
import { aCall, aLogger, expectEnded, never, said } from './fixture.ts'

/** Ways in which a function of a user misbehaves. */
const troubles: [name: string, misbehave: () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('mine')
    },
  ],
  ['rejects', () => Promise.reject(new Error('mine'))],
  ['hangs', never],
]

describe('listeners', () => {
  it.each(troubles)('[CL5] one that %s affects no other, and nothing else', (_, misbehave) =>
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
      expect(expectEnded(call).clean).toBe(true)
    }),
  )

  it('[CL5] one that listens again each time it is called does not go on for ever', () =>
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

  it('[CL5] nothing comes after closed, not even the trouble of its listeners', () =>
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

describe('hooks', () => {
  it.each(troubles)('[CL5] one that %s is bounded, told, and goes no further', (how, misbehave) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, {
        hookTimeout: 1_000,
        answers: ['Fine.'],
        agent: { onEnter: misbehave, onTurn: misbehave as () => never, onExit: misbehave },
      })
      await call.session.start()
      const asked = world.clock.now()
      call.caller.types('Hello?')
      await call.caller.hears('Fine.')
      await world.clock.elapse(2_000)
      expect(world.clock.now() - asked).toBeLessThan(4_000)
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

  it('[CL4] [CL5] an exit hook that hangs holds neither the line nor the links', () =>
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

  it('[CL4] what keeps the result is closed after the line', () =>
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

  it('[CL5] an exit hook has its own time also when the session closes', () =>
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

  it('[CL4] no teardown queues behind a turn hook', () =>
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

  it('[CL5] what a hook rejects with too late is nobody’s unhandled rejection', () =>
    inVirtualTime(async (world) => {
      const late = async (): Promise<void> => {
        await world.clock.elapse(20_000)
        throw new Error('late')
      }
      const lates: string[] = []
      const call = aCall(world, {
        agent: { onEnter: late, onExit: late },
        onLate: ({ name, outcome }) => lates.push(`${name}: ${outcome}`),
      })
      await call.session.start()
      await call.session.close()
      expectEnded(call)
      await world.clock.elapse(60_000)
      expect(lates.toSorted()).toEqual(["enter hook of 'desk': failed", "exit hook of 'desk': failed"])
    }))
})

describe('after the call', () => {
  it('[CL5] handlers run after closed, with the report, and are awaited', () =>
    inVirtualTime(async (world) => {
      const order: string[] = []
      const reports: SessionReport[] = []
      const handler: AfterCall = async (report) => {
        order.push('begins')
        await world.clock.elapse(5_000)
        reports.push(report)
        order.push('done')
      }
      const call = aCall(world, { afterCall: handler })
      call.session.on('closed', () => order.push('closed'))
      await call.session.start()
      await call.session.close()
      await call.session.afterCall
      expect(order).toEqual(['closed', 'begins', 'done'])
      expect(reports).toEqual(call.reports)
    }))

  it.each(troubles)('[CL5] one that %s affects no other, and has its own bound', (how, misbehave) =>
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

  it('[CL5] one that hangs is told by its signal, and what it does too late goes to onLate', () =>
    inVirtualTime(async (world) => {
      const lates: string[] = []
      let told = false
      const call = aCall(world, {
        afterCallTimeout: 1_000,
        onLate: ({ name, outcome }) => lates.push(`${name}: ${outcome}`),
        afterCall: async function save(_, { signal }) {
          signal.addEventListener('abort', () => {
            told = true
          })
          await world.clock.elapse(30_000)
          throw new Error('late')
        },
      })
      await call.session.start()
      await call.session.close()
      await call.session.afterCall
      expect(told).toBe(true)
      await world.clock.elapse(60_000)
      expect(lates).toEqual(['save: failed'])
    }))

  it('[CL5] they run for every session that was started, also when the start failed or was closed', () =>
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

describe('a tool that fails', () => {
  it('because it was cancelled is no warning', () =>
    inVirtualTime(async (world) => {
      const { logger, lines } = aLogger()
      const call = aCall(world, {
        logger,
        answers: [[callTool('look')]],
        agent: { tools: { look: tool({ description: 'Looks', run: never }) } },
      })
      await call.session.start()
      call.caller.types('Look!')
      await world.clock.elapse(100)
      call.caller.hangsUp()
      await call.session.afterCall
      const told = lines.filter(({ fields }) => fields['tool'] === 'look')
      expect(told.map(({ level, message }) => `${level} ${message}`)).toEqual(['info a tool was cancelled'])
    }))

  it('is told to the log, with its error, beside the model', () =>
    inVirtualTime(async (world) => {
      const { logger, lines } = aLogger()
      const error = new TypeError('no such calendar')
      const call = aCall(world, {
        logger,
        answers: [[callTool('book'), callTool('look')], 'Sorry.'],
        agent: {
          tools: {
            book: tool({
              description: 'Books',
              run: () => {
                throw error
              },
            }),
            look: tool({ description: 'Looks', run: () => 'free' }),
          },
        },
      })
      await call.session.start()
      call.caller.types('Book!')
      await call.caller.hears('Sorry.')
      const told = lines.filter(({ message }) => message === 'a tool failed')
      expect(told).toEqual([
        { level: 'warn', message: 'a tool failed', fields: { session: 'test', tool: 'book', error } },
      ])
      await call.session.close()
    }))
})
