import { describe, expect, it } from 'vitest'
import {
  Agent,
  AgentTask,
  HandoffError,
  SessionClosedError,
  tool,
  type AgentOptions,
  type Toolset,
} from '../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import { aCall, expectEnded, never, said, type CallOptions } from './fixture.ts'

/** A toolset that writes down what becomes of it. */
function aToolset(log: string[], name: string, open?: () => Promise<unknown>): Toolset {
  return {
    name,
    open: async ({ scope }) => {
      await scope.open(
        name,
        async () => {
          await open?.()
          log.push(`${name} opens`)
          return {}
        },
        { close: () => void log.push(`${name} closes`), abort: () => void log.push(`${name} is cut`) },
      )
      return {}
    },
  }
}

type DeskOptions = Omit<CallOptions, 'agent'> & { agent?: Partial<AgentOptions>; next?: Agent }

/** A desk that hands over to billing by its tool. */
function aDesk(world: World, options: DeskOptions = {}) {
  const steps: string[] = []
  const at = (what: string): void => void steps.push(`${world.clock.now()} ${what}`)
  const billing =
    options.next ??
    new Agent({
      name: 'billing',
      instructions: 'You know the bills.',
      onEnter: ({ session }) => {
        at('billing enters')
        session.say('Billing here.')
      },
      onExit: () => at('billing leaves'),
    })
  const call = aCall(world, {
    answers: [['I hand you over. ', callTool('toBilling')], 'Twelve euros.'],
    ...options,
    agent: {
      instructions: 'You are the desk.',
      tools: { toBilling: tool({ description: 'Hands over', run: () => billing }) },
      onEnter: () => at('desk enters'),
      onExit: () => at('desk leaves'),
      ...options.agent,
    },
  })
  call.session.on('handoff', ({ from, to }) => at(`${from} → ${to}`))
  return { ...call, steps, billing }
}

describe('a handoff', () => {
  it('[AG1] by a tool: the exit hook, the end of the speech, then the next agent; one item in the history', () =>
    inVirtualTime(async (world) => {
      const call = aDesk(world)
      await call.session.start()
      call.caller.types('What do I owe you?')
      await call.caller.hears('Billing here.')
      await world.clock.elapse(500)
      call.caller.types('So?')
      await call.caller.hears('Twelve euros.')
      await world.clock.elapse(500)
      expect(call.steps.map((step) => step.replace(/^\d+ /, ''))).toEqual([
        'desk enters',
        'desk leaves',
        'desk → billing',
        'billing enters',
      ])
      expect(call.steps[1]).toBe('0 desk leaves')
      expect(Number.parseInt(call.steps[2]!)).toBeGreaterThanOrEqual(800)
      expect(said(call.session)).toEqual([
        'user: What do I owe you?',
        'agent: I hand you over. ',
        'toBilling → handed over to billing',
        'desk → billing',
        'agent: Billing here.',
        'user: So?',
        'agent: Twelve euros.',
      ])
      expect(call.llm.requests.map(({ instructions }) => instructions)).toEqual([
        'You are the desk.',
        'You know the bills.',
      ])
      expect((await call.session.close()).clean).toBe(true)
      expect(call.steps.at(-1)).toMatch(/billing leaves$/)
      expectEnded(call)
    }))

  it('[AG1] by a call', () =>
    inVirtualTime(async (world) => {
      const call = aDesk(world)
      await call.session.start()
      const speech = call.session.say('One moment.')
      await call.session.handOff(call.billing)
      expect(speech.outcome?.how).toBe('played')
      expect(said(call.session)).toEqual(['agent: One moment.', 'desk → billing'])
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG1] [AG3] a speech that stands still is stopped within a bound, and the next agent can speak', () =>
    inVirtualTime(async (world) => {
      const call = aDesk(world, { stallTimeout: 3_000 })
      await call.session.start()
      const speech = call.session.say(
        (async function* () {
          yield 'One moment. '
          await never()
        })(),
        { interruptible: false },
      )
      await call.session.handOff(call.billing)
      expect(speech.outcome?.how).toBe('failed')
      await call.caller.hears('Billing here.')
      expect(world.clock.now()).toBeLessThan(6_000)
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG1] a long speech before it is not clipped', () =>
    inVirtualTime(async (world) => {
      const call = aDesk(world, { stallTimeout: 1_000 })
      await call.session.start()
      const words = 'Please hold the line while I look for somebody who knows. '.repeat(5)
      call.session.say(words)
      await call.session.handOff(call.billing)
      expect(call.line.heardText).toBe(words)
      await call.session.close()
    }))

  it('[AG2] the toolsets of the agent that leaves are closed, those of the session stay open', () =>
    inVirtualTime(async (world) => {
      const log: string[] = []
      const next = new Agent({ name: 'billing', instructions: '', toolsets: [aToolset(log, 'bills')] })
      const call = aDesk(world, { next, agent: { toolsets: [aToolset(log, 'calendar')] } })
      await call.session.start()
      await call.session.handOff(next)
      await world.clock.elapse(10)
      expect(log).toEqual(['calendar opens', 'bills opens', 'calendar closes'])
      expect(call.stt.counts).toMatchObject({ opened: 1, live: 1 })
      expect(call.line.counts).toMatchObject({ opened: 1, live: 1 })
      await call.session.close()
      expect(log.slice(3)).toEqual(['bills closes'])
      expectEnded(call)
    }))

  it('[AG2] [AG3] an agent that cannot start changes nothing, and what it has opened is closed', () =>
    inVirtualTime(async (world) => {
      const log: string[] = []
      const next = new Agent({
        name: 'billing',
        instructions: '',
        toolsets: [
          aToolset(log, 'bills'),
          aToolset(log, 'bank', () => Promise.reject(new Error('no such bank'))),
        ],
      })
      const call = aDesk(world, { next })
      await call.session.start()
      const handing = call.session.handOff(next)
      await expect(handing).rejects.toThrow(HandoffError)
      await expect(handing).rejects.toMatchObject({ cause: { message: 'no such bank' } })
      await world.clock.elapse(10)
      expect(log).toEqual(['bills opens', 'bills closes'])
      expect(call.steps).toEqual(['0 desk enters'])
      expect(said(call.session)).toEqual([])
      expect(call.log).toEqual(['error: handoff'])
      call.session.say('I am still here.')
      await call.caller.hears('I am still here.')
      expect((await call.session.close()).clean).toBe(true)
      expectEnded(call)
    }))

  it('[AG2] [AG3] one that never gets ready fails in bounded time, and is closed when it comes after all', () =>
    inVirtualTime(async (world) => {
      const log: string[] = []
      const next = new Agent({
        name: 'billing',
        instructions: '',
        toolsets: [aToolset(log, 'bills', () => world.clock.elapse(60_000))],
      })
      const call = aDesk(world, { next, hookTimeout: 1_000 })
      await call.session.start()
      await expect(call.session.handOff(next)).rejects.toThrow('could not take over in time')
      expect(world.clock.now()).toBe(1_000)
      expect(call.session.state).toBe('live')
      await world.clock.elapse(60_000)
      expect(log).toEqual(['bills opens', 'bills is cut'])
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG3] an exit hook that hangs costs its time, and the handoff goes on', () =>
    inVirtualTime(async (world) => {
      const call = aDesk(world, { agent: { onExit: never } })
      await call.session.start()
      await call.session.handOff(call.billing)
      expect(world.clock.now()).toBe(2_000)
      expect(said(call.session)).toEqual(['desk → billing'])
      await call.session.close()
      expectEnded(call)
    }))

  it.each([
    [
      'the toolset',
      { next: new Agent({ name: 'next', instructions: '', toolsets: [{ name: 'x', open: never }] }) },
    ],
    ['the exit hook', { agent: { onExit: never } }],
    ['the speech', {}],
  ])('[AG3] closing in the middle of it, while %s is waited for', (_, options) =>
    inVirtualTime(async (world) => {
      const call = aDesk(world, options)
      await call.session.start()
      call.session.say('This takes about two seconds to say.')
      const handing = call.session.handOff(call.billing)
      await world.clock.elapse(100)
      await call.session.close()
      await expect(handing).rejects.toThrow(SessionClosedError)
      await world.clock.elapse(10_000)
      expect(call.session.history.items.filter(({ type }) => type === 'handoff')).toEqual([])
      expect(call.steps.filter((step) => step.includes('billing'))).toEqual([])
      expectEnded(call)
    }),
  )

  it('[AG3] of two at once one wins, and the other is told', () =>
    inVirtualTime(async (world) => {
      const call = aDesk(world)
      const other = new Agent({ name: 'other', instructions: '' })
      await call.session.start()
      call.session.say('One moment.')
      const [one, two] = await Promise.allSettled([
        call.session.handOff(call.billing),
        call.session.handOff(other),
      ])
      expect([one.status, two.status]).toEqual(['fulfilled', 'rejected'])
      expect((two as PromiseRejectedResult).reason).toBeInstanceOf(HandoffError)
      expect(said(call.session)).toEqual(['agent: One moment.', 'desk → billing'])
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG3] a nested task that begins meanwhile comes first, and the handoff is told', () =>
    inVirtualTime(async (world) => {
      const call = aDesk(world, {
        answers: [[callTool('ask')]],
        agent: {
          tools: {
            ask: tool({ description: 'Asks', timeout: 60_000, run: (_, { run }) => run(aNumberTask()) }),
          },
        },
      })
      await call.session.start()
      call.session.say('This takes about two seconds to say.')
      const handing = call.session.handOff(call.billing)
      await world.clock.elapse(100)
      call.session.reply()
      await expect(handing).rejects.toThrow(HandoffError)
      await call.caller.hears('Which number?')
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG4] of an interrupted turn is not applied', () =>
    inVirtualTime(async (world) => {
      const call = aDesk(world, {
        answers: [['I hand you over to somebody who knows. ', callTool('toBilling')], 'All right.'],
      })
      await call.session.start()
      call.caller.types('What do I owe you?')
      await world.clock.elapse(300)
      await call.caller.says('No, wait, stay.')
      await call.caller.pauses(1_000)
      await call.caller.hears('All right.')
      await world.clock.elapse(5_000)
      expect(call.session.history.items.filter(({ type }) => type === 'handoff')).toEqual([])
      expect(call.llm.requests.at(-1)?.instructions).toBe('You are the desk.')
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG4] nor if the tool comes back after the interruption', () =>
    inVirtualTime(async (world) => {
      const call = aDesk(world, {
        agent: {
          tools: {
            toBilling: tool({
              description: 'Hands over',
              run: () => world.clock.elapse(5_000).then(() => new Agent({ instructions: 'late' })),
            }),
          },
        },
      })
      await call.session.start()
      call.caller.types('What do I owe you?')
      await world.clock.elapse(2_000)
      call.session.interrupt()
      await world.clock.elapse(10_000)
      expect(said(call.session)).toEqual([
        'user: What do I owe you?',
        'agent: I hand you over. ',
        'toBilling → handed over to agent',
      ])
      await call.session.close()
      expectEnded(call)
    }))
})

/** Asks for a number; its tool gives it back. */
const aNumberTask = (options: { onExit?: () => unknown } = {}) =>
  new AgentTask<number>({
    name: 'number',
    instructions: 'Ask for a number.',
    onEnter: ({ session }) => void session.say('Which number?'),
    tools: (done) => ({
      save: tool({ description: 'Saves', run: ({ number }) => done(Number(number)) }),
    }),
    ...options,
  })

describe('a nested task', () => {
  it('[AG5] returns its result to the tool that ran it, and the agent before it goes on', () =>
    inVirtualTime(async (world) => {
      const results: number[] = []
      const call = aCall(world, {
        answers: [[callTool('ask')], [callTool('save', { number: 12 })], 'Twelve it is.'],
        agent: {
          tools: {
            ask: tool({
              description: 'Asks',
              timeout: 60_000,
              run: async (_, { run }) => {
                const result: number = await run(aNumberTask())
                results.push(result)
                return result
              },
            }),
          },
        },
      })
      await call.session.start()
      call.caller.types('Ask me.')
      await call.caller.hears('Which number?')
      await world.clock.elapse(100)
      call.caller.types('Twelve.')
      await call.caller.hears('Twelve it is.')
      await world.clock.elapse(500)
      expect(results).toEqual([12])
      expect(call.llm.requests.map(({ instructions }) => instructions)).toEqual([
        'You answer the phone.',
        'Ask for a number.',
        'You answer the phone.',
      ])
      expect(said(call.session)).toEqual([
        'user: Ask me.',
        'ask → 12',
        'agent: Which number?',
        'user: Twelve.',
        'save → done',
        'agent: Twelve it is.',
      ])
      expect((await call.session.close()).clean).toBe(true)
      expectEnded(call)
    }))

  it('[AG5] [CL11] is told by an error when the session closes, innermost first, each once', () =>
    inVirtualTime(async (world) => {
      const order: string[] = []
      const chain = (depth: number): AgentTask<string> =>
        new AgentTask<string>({
          name: `task ${depth}`,
          instructions: `${depth}`,
          onExit: () => order.push(`task ${depth} leaves`),
          tools: () => ({
            deeper: tool({
              description: 'Goes deeper',
              timeout: 60_000,
              run: async (_, { run }) => {
                try {
                  return await run(chain(depth + 1))
                } catch (error) {
                  order.push(`task ${depth + 1} ends with ${(error as Error).name}`)
                  throw error
                }
              },
            }),
          }),
        })
      const call = aCall(world, {
        answers: [
          [callTool('deeper', { a: 0 })],
          [callTool('deeper', { a: 1 })],
          [callTool('deeper', { a: 2 })],
        ],
        agent: {
          onExit: () => order.push('desk leaves'),
          tools: {
            deeper: tool({
              description: 'Goes deeper',
              timeout: 60_000,
              run: (_, { run }) => run(chain(1)),
            }),
          },
        },
      })
      await call.session.start()
      for (const word of ['one', 'two', 'three']) {
        call.caller.types(word)
        await world.clock.elapse(100)
      }
      const report = await call.session.close()
      expect(order).toEqual([
        'task 3 leaves',
        'task 2 leaves',
        'task 1 leaves',
        'desk leaves',
        'task 3 ends with SessionClosedError',
        'task 2 ends with SessionClosedError',
      ])
      expect(report.took).toBe(0)
      expectEnded(call)
    }))

  it('[CL11] a cycle of tasks with stuck hooks unwinds all the same', () =>
    inVirtualTime(async (world) => {
      let exits = 0
      const ping: AgentTask<void> = new AgentTask<void>({
        name: 'ping',
        instructions: 'ping',
        onExit: () => {
          exits++
          return never()
        },
        tools: () => ({
          again: tool({ description: 'Again', timeout: 60_000, run: (_, { run }) => run(ping) }),
        }),
      })
      const call = aCall(world, {
        answers: [1, 2, 3, 4].map((a) => [callTool('again', { a })]),
        agent: {
          tools: { again: tool({ description: 'Again', timeout: 60_000, run: (_, { run }) => run(ping) }) },
        },
      })
      await call.session.start()
      for (let depth = 0; depth < 4; depth++) {
        call.caller.types('again')
        await world.clock.elapse(100)
      }
      await call.session.close()
      expect(exits).toBe(4)
      expect(expectEnded(call).took).toBeLessThanOrEqual(5_000)
    }))

  it('[CL11] [CL10] a task that is run at the very moment of closing does not wait for ever', () =>
    inVirtualTime(async (world) => {
      const errors: unknown[] = []
      const call = aCall(world, {
        answers: [[callTool('ask')]],
        agent: {
          tools: {
            ask: tool({
              description: 'Asks',
              finishWithin: 2_000,
              run: (_, { run }) => {
                const result = run(aNumberTask()).catch((error: unknown) => errors.push(error))
                call.session.close().catch(() => {})
                return result
              },
            }),
          },
        },
      })
      await call.session.start()
      call.caller.types('Ask me.')
      await call.session.afterCall
      await world.clock.elapse(100)
      expect(errors).toMatchObject([{ code: 'SESSION_CLOSED' }])
      expect(expectEnded(call).took).toBe(0)
    }))

  it('[AG5] ends with the tool that ran it: the agent before it is on duty again', () =>
    inVirtualTime(async (world) => {
      const left: string[] = []
      const call = aCall(world, {
        answers: [[callTool('ask')], 'Sorry, that took too long.', 'Yes?'],
        agent: {
          tools: {
            ask: tool({
              description: 'Asks',
              timeout: 5_000,
              run: (_, { run }) => run(aNumberTask({ onExit: () => left.push('number') })),
            }),
          },
        },
      })
      await call.session.start()
      call.caller.types('Ask me.')
      await call.caller.hears('Sorry, that took too long.')
      expect(left).toEqual(['number'])
      await world.clock.elapse(500)
      call.caller.types('Hello?')
      await call.caller.hears('Yes?')
      expect(call.llm.requests.map(({ instructions }) => instructions)).toEqual([
        'You answer the phone.',
        'You answer the phone.',
        'You answer the phone.',
      ])
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG5] a handoff within a task stays within it, and its result still comes', () =>
    inVirtualTime(async (world) => {
      const results: unknown[] = []
      const task = new AgentTask<string>({
        name: 'first',
        instructions: 'first',
        tools: (done) => ({
          pass: tool({
            description: 'Passes on',
            run: () =>
              new Agent({
                name: 'second',
                instructions: 'second',
                tools: { save: tool({ description: 'Saves', run: () => done('saved') }) },
              }),
          }),
        }),
      })
      const call = aCall(world, {
        answers: [[callTool('ask')], [callTool('pass')], [callTool('save')], 'Done.'],
        agent: {
          tools: {
            ask: tool({
              description: 'Asks',
              timeout: 60_000,
              run: async (_, { run }) => results.push(await run(task)),
            }),
          },
        },
      })
      await call.session.start()
      for (const word of ['one', 'two', 'three']) {
        call.caller.types(word)
        await world.clock.elapse(100)
      }
      await call.caller.hears('Done.')
      expect(results).toEqual(['saved'])
      expect(call.llm.requests.map(({ instructions }) => instructions)).toEqual([
        'You answer the phone.',
        'first',
        'second',
        'You answer the phone.',
      ])
      await call.session.close()
      expectEnded(call)
    }))
})
