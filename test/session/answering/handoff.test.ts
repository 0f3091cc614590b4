import { describe, expect, it } from 'vitest'
import {
  Agent,
  HandoffError,
  SessionClosedError,
  tool,
  type AgentOptions,
  type Toolset,
} from '../../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../../src/testing/index.ts'
import { aCall, expectEnded, never, said, type CallOptions } from '../fixture.ts'
import { aNumberTask } from './number-task.ts'

/** A toolset that records when it is opened, closed and aborted. */
function aToolset(log: string[], name: string, open?: () => Promise<unknown>): Toolset {
  return {
    name,
    open: async ({ scope }) => {
      await scope.open(
        name,
        async () => {
          await open?.()
          log.push(`${name} opened`)
          return {}
        },
        { close: () => void log.push(`${name} closed`), abort: () => void log.push(`${name} aborted`) },
      )
      return {}
    },
  }
}

type DeskOptions = Omit<CallOptions, 'agent'> & { agent?: Partial<AgentOptions>; next?: Agent }

/** A call whose agent, the desk, has a tool that hands over to billing. */
function aDesk(world: World, { next, ...options }: DeskOptions = {}) {
  const steps: string[] = []
  const at = (what: string): void => void steps.push(`${world.clock.now()} ${what}`)
  const billing =
    next ??
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
  it('[AG1] by a tool runs the exit hook, waits for the speech, starts the next agent, and adds one history item', () =>
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

  it('[AG1] by session.handOff() waits for the speech', () =>
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

  it('[AG1] [AG3] waits for a speech that stalls no longer than stallTimeout', () =>
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

  it('[AG1] does not clip a long speech before it', () =>
    inVirtualTime(async (world) => {
      const call = aDesk(world, { stallTimeout: 1_000 })
      await call.session.start()
      const words = 'Please hold the line while I look for somebody who knows. '.repeat(5)
      call.session.say(words)
      await call.session.handOff(call.billing)
      expect(call.line.heardText).toBe(words)
      await call.session.close()
    }))

  it('[AG2] closes the toolsets of the previous agent, but no connections of the session', () =>
    inVirtualTime(async (world) => {
      const log: string[] = []
      const next = new Agent({ name: 'billing', instructions: '', toolsets: [aToolset(log, 'bills')] })
      const call = aDesk(world, { next, agent: { toolsets: [aToolset(log, 'calendar')] } })
      await call.session.start()
      await call.session.handOff(next)
      await world.clock.elapse(10)
      expect(log).toEqual(['calendar opened', 'bills opened', 'calendar closed'])
      expect(call.stt.counts).toMatchObject({ opened: 1, live: 1 })
      expect(call.line.counts).toMatchObject({ opened: 1, live: 1 })
      await call.session.close()
      expect(log.slice(3)).toEqual(['bills closed'])
      expectEnded(call)
    }))

  it('[AG2] [AG3] to an agent that cannot start changes nothing, and closes what it has opened', () =>
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
      expect(log).toEqual(['bills opened', 'bills closed'])
      expect(call.steps).toEqual(['0 desk enters'])
      expect(said(call.session)).toEqual([])
      expect(call.log).toEqual(['error: handoff'])
      call.session.say('I am still here.')
      await call.caller.hears('I am still here.')
      expect(await call.session.close()).toMatchObject({
        errors: [{ where: 'handoff' }],
        scope: { clean: true },
      })
      expectEnded(call)
    }))

  it('[AG2] [AG3] to an agent that never becomes ready fails in bounded time, and aborts what it opens later', () =>
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
      expect(log).toEqual(['bills opened', 'bills aborted'])
      await call.session.close()
      expectEnded(call)
    }))

  it('[AG3] waits for an exit hook that hangs no longer than hookTimeout', () =>
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
  ])('[AG3] is rejected if the session closes while it waits for %s', (_, options) =>
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

  it('[AG3] succeeds once and is rejected once if two are requested at the same time', () =>
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

  it('[AG3] is rejected if a nested task begins meanwhile', () =>
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

  it('[AG4] is not applied if its turn is interrupted', () =>
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

  it('[AG4] is not applied if its tool returns after the interruption', () =>
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
