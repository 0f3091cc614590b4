import { describe, expect, it } from 'vitest'
import {
  Agent,
  AgentTask,
  Session,
  SessionClosedError,
  tool,
  type AgentOptions,
  type CloseReason,
} from '../../src/session/index.ts'
import { callTool, inVirtualTime, type Fault, type World } from '../../src/testing/index.ts'
import { aCall, aPromise, expectEnded, never, said, type Call, type CallOptions } from './fixture.ts'

/** An agent by its options: more are added to them. */
type PlainOptions = Omit<CallOptions, 'agent'> & { agent?: Partial<AgentOptions> }

/** A session in the middle of everything: the agent speaks, a tool runs, hooks are there, the user talks. */
async function aBusyCall(world: World, options: PlainOptions = {}, strike?: [step: string, fault: Fault]) {
  const { agent, ...rest } = options
  const call = aCall(world, {
    answers: [['One moment, I will look that up for you. ', callTool('look')], 'Never said.'],
    stt: { finalAfter: 300 },
    ...rest,
    agent: {
      onExit: () => {},
      tools: {
        look: tool({
          description: 'Looks',
          timeout: 60_000,
          run: (_, { signal }) =>
            new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        }),
      },
      ...agent,
    },
  })
  await call.session.start()
  if (strike) call.faults.set(...strike)
  call.caller.types('When can I come?')
  await world.clock.elapse(500)
  call.caller.says('and one more thing').catch(() => {})
  await world.clock.elapse(400)
  return call
}

/** Every way to end a session that is live. */
const doors: [name: string, reason: CloseReason, open: (call: Call) => unknown][] = [
  ['close()', 'requested', ({ session }) => session.close()],
  ['the caller who hangs up', 'caller-hung-up', ({ caller }) => caller.hangsUp()],
  ['the loss of the line', 'caller-lost', ({ caller }) => caller.vanishes(new Error('no more packets'))],
  ['hangUp()', 'agent-hung-up', ({ session }) => session.hangUp({ say: 'Goodbye.' })],
  ['drain()', 'host-draining', ({ session }) => session.drain({ reason: 'host-draining' })],
  ['an STT that fails for good', 'error', ({ stt }) => stt.fail()],
  ['a VAD that fails for good', 'error', ({ vad }) => vad.fails()],
  [
    'await using',
    'requested',
    async ({ session }) => {
      await using _ = session
    },
  ],
]

describe('one closed event, in time', () => {
  it.each(doors)('[CL1] [CL2] by %s, with reason %s', (_, reason, open) =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      await open(call)
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ reason })
      expect(call.clockTimers()).toEqual([])
    }),
  )

  it.each(doors)('[CL1] [CL9] in the middle of everything, by %s', (_, reason, open) =>
    inVirtualTime(async (world) => {
      const call = await aBusyCall(world, { stallTimeout: 1_000, agent: { tools: {} } })
      await open(call)
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ reason })
      expect(call.clockTimers()).toEqual([])
    }),
  )

  const faults: Fault[] = ['hang', 'throw', 'reject', 'ignore-signal', { late: 60_000 }]
  const steps = [
    'close:line',
    'close:stt',
    'close:tts',
    'close:llm',
    'close:vad',
    'close:*',
    'task:reply 1',
    'task:speech 1',
    'task:look',
    'task:turn 1',
    "task:exit hook of 'desk'",
    'task:*',
    'deferred:last words',
  ]
  const cases = steps.flatMap((step) => faults.map((fault): [string, Fault] => [step, fault]))

  it.each(cases)('[CL1] [CL4] whatever happens: %s does %j', (step, fault) =>
    inVirtualTime(async (world) => {
      const call = await aBusyCall(world, {}, [step, fault])
      const asked = world.clock.now()
      const report = await call.session.close()
      expect(world.clock.now() - asked).toBeLessThanOrEqual(5_000)
      expect(expectEnded(call)).toBe(report)
      expect(call.faults.fired).not.toEqual([])
    }),
  )

  it.each(['line', 'stt', 'tts', 'llm'] as const)('[CL1] [CL4] a %s whose close hangs is cut', (part) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { [part]: { closeHangs: true } })
      await call.session.start()
      const report = await call.session.close()
      expectEnded(call)
      expect(call[part].counts).toMatchObject({ aborted: 1, live: 0 })
      expect(report.clean).toBe(false)
    }),
  )

  it.each([
    ['an LLM', { llm: { ignoresSignal: true }, answers: [['Hm. ', { stall: true as const }]] }],
    ['a voice', { tts: { ignoresSignal: true, stallAfter: 100 }, answers: ['Let me think about that.'] }],
  ])('[CL1] %s that ignores its signal and never ends holds nobody', (_, options) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, options)
      await call.session.start()
      call.caller.types('Hello?')
      await world.clock.elapse(300)
      const report = await call.session.close()
      expectEnded(call)
      expect(report.took).toBeLessThanOrEqual(1_000)
    }),
  )

  it('[CL1] a session that never started closes, too', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      expect(await call.session.close({ by: 'me' })).toMatchObject({ reason: 'requested', by: 'me', took: 0 })
      expect(expectEnded(call).startedAt).toBeUndefined()
    }))

  it('[CL1] closeTimeout is kept, and a later close can only shorten it', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { closeTimeout: 3_000, stt: { closeHangs: true } })
      await call.session.start()
      const first = call.session.close()
      await world.clock.elapse(500)
      const second = call.session.close({ closeTimeout: 1_000 })
      const third = call.session.close({ closeTimeout: 60_000 })
      const report = await first
      expect(await second).toBe(report)
      expect(await third).toBe(report)
      expect(report).toMatchObject({ closeTimeout: 1_500 })
      expectEnded(call)
    }))

  it('[CL1] a clock that jumps ahead does not undo it', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { closeHangs: true } })
      await call.session.start()
      const closed = call.session.close()
      await world.clock.elapse(100)
      world.clock.jump(3_600_000)
      const report = await closed
      expect(call.reports).toEqual([report])
      expect(call.stt.counts.live).toBe(0)
    }))

  it('[CL1] a logger that throws is nobody’s problem', () =>
    inVirtualTime(async (world) => {
      const broken = (): never => {
        throw new Error('disk full')
      }
      const call = aCall(world, {
        logger: { debug: broken, info: broken, warn: broken, error: broken },
        stt: { closeFails: new Error('reset') },
      })
      await call.session.start()
      await call.session.close()
      expectEnded(call)
    }))

  it('[CL1] closing from a closed listener, from a state listener and twice gives the same report', () =>
    inVirtualTime(async (world) => {
      const call = await aBusyCall(world)
      const { session } = call
      const got: Promise<unknown>[] = []
      session.on('closed', () => got.push(session.close()))
      session.on('state', () => got.push(session.close({ reason: 'error', by: 'a listener of states' })))
      session.on('spoken', () => got.push(session.close({ reason: 'error', by: 'a listener of speech' })))
      const report = await session.close({ by: 'the first' })
      for (const each of await Promise.all(got)) expect(each).toBe(report)
      expect(got.length).toBeGreaterThanOrEqual(4)
      expect(report).toMatchObject({ reason: 'requested', by: 'the first' })
      expectEnded(call)
    }))

  it('[CL1] in a loop over the session that is left by break or by throw', () =>
    inVirtualTime(async (world) => {
      const one = aCall(world)
      const other = aCall(world)
      await Promise.all([one.session.start(), other.session.start()])
      const say = async (session: Session): Promise<void> => void session.say('Hello.')
      const left = say(one.session)
      for await (const { type } of one.session) if (type === 'spoken') break
      await left
      expect(expectEnded(one)).toMatchObject({ by: 'end of the for await loop' })
      const thrown = say(other.session)
      const loop = async (): Promise<void> => {
        for await (const { type } of other.session) if (type === 'spoken') throw new Error('mine')
      }
      await expect(loop()).rejects.toThrow('mine')
      await thrown
      expectEnded(other)
    }))

  it('[CL1] leaving a loop over the events alone closes nothing', () =>
    inVirtualTime(async (world) => {
      const { session } = aCall(world)
      await session.start()
      session.say('Hello.')
      for await (const { type } of session.events()) if (type === 'spoken') break
      expect(session.state).toBe('live')
      await session.close()
    }))
})

describe('from the inside', () => {
  it.each(['enter', 'exit', 'turn'] as const)('[CL1] an %s hook closes the session it belongs to', (which) =>
    inVirtualTime(async (world) => {
      const closed: unknown[] = []
      const hook = async ({ close }: { close: () => Promise<unknown> }): Promise<void> => {
        closed.push(await close())
      }
      const call = aCall(world, {
        answers: ['Fine.'],
        agent:
          which === 'enter'
            ? { onEnter: hook }
            : which === 'exit'
              ? { onExit: hook }
              : { onTurn: (_, context) => hook(context) },
      })
      await call.session.start().catch(() => {})
      if (which === 'exit') call.session.close().catch(() => {})
      if (which === 'turn') call.caller.types('Bye.')
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ took: 0, clean: true })
      expect(closed).toEqual(call.reports)
      if (which === 'turn') expect(said(call.session)).toEqual(['user: Bye.'])
    }),
  )

  it('[CL1] a hook that waits for the outer close waits for itself, and is given up', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { agent: { onEnter: async ({ session }) => void (await session.close()) } })
      await call.session.start().catch(() => {})
      await call.session.afterCall
      expect(expectEnded(call).clean).toBe(false)
    }))

  it('[CL1] a tool that closes the session is not waited for', () =>
    inVirtualTime(async (world) => {
      const after = aPromise<unknown>()
      const call = await aBusyCall(world, {
        agent: {
          tools: {
            look: tool({
              description: 'Ends the call',
              run: async (_, { close }) => after.resolve(await close({ by: 'the tool' })),
            }),
          },
        },
      })
      const report = await after.promise
      expect(expectEnded(call)).toBe(report)
      expect(call.reports[0]).toMatchObject({ by: 'the tool', clean: true })
    }))
})

describe('the first trigger names the reason', () => {
  it('[CL2] later ones are listed, with who and when', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { closeTakes: 1_000 } })
      await call.session.start()
      const closed = call.session.close({ reason: 'host-draining', by: 'the host' })
      await world.clock.elapse(300)
      call.session.close({ by: 'a person' }).catch(() => {})
      expect(await closed).toMatchObject({
        reason: 'host-draining',
        by: 'the host',
        alsoAsked: [{ reason: 'requested', by: 'a person', at: 300 }],
      })
    }))

  it('[CL2] a graceful end that somebody cuts short keeps its reason', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { closeTakes: 500 } })
      await call.session.start()
      call.session.hangUp({ say: 'Goodbye, and thank you for your call.', by: 'the agent' }).catch(() => {})
      await world.clock.elapse(200)
      expect(await call.session.close({ by: 'a person' })).toMatchObject({
        reason: 'agent-hung-up',
        by: 'the agent',
        alsoAsked: [{ reason: 'requested', by: 'a person', at: 0 }],
      })
    }))

  it('[CL2] a drop is never reported as a clean end, not even during a goodbye', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      const outcome = call.session.hangUp({ say: 'Goodbye, and thank you for your call.', by: 'the agent' })
      await world.clock.elapse(200)
      call.caller.vanishes()
      await call.session.afterCall
      expect(await outcome).toBe('unconfirmed')
      expect(expectEnded(call)).toMatchObject({
        reason: 'caller-lost',
        clean: false,
        alsoAsked: [{ reason: 'agent-hung-up', by: 'the agent', at: -200 }],
      })
    }))

  it('[CL2] a hang-up of the caller is not a loss, and is clean', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.start()
      call.caller.hangsUp()
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ reason: 'caller-hung-up', by: 'line', clean: true })
    }))
})

describe('the start', () => {
  it.each(['line', 'stt', 'tts', 'llm'] as const)('[CL8] closing while the %s opens cancels it', (part) =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { [part]: { openHangs: true } })
      const starting = call.session.start()
      await world.clock.elapse(100)
      const report = await call.session.close()
      await expect(starting).rejects.toThrow(SessionClosedError)
      expect(expectEnded(call)).toBe(report)
      expect(report.startedAt).toBeDefined()
    }),
  )

  it('[CL8] a part that opens after the close is cut at once', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { openTakes: 1_000 }, closeTimeout: 200 })
      call.faults.set('open:stt', 'ignore-signal')
      // Nobody holds the promise of the start: that is no unhandled rejection.
      call.session.start().catch(() => {})
      await world.clock.elapse(100)
      await call.session.close()
      await world.clock.elapse(5_000)
      expect(call.stt.counts).toMatchObject({ opened: 1, aborted: 1, live: 0 })
      expectEnded(call)
    }))

  it('[CL8] nobody has to hold the promise of a start that is closed', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { line: { openHangs: true } })
      const { session } = call
      // On purpose without a catch: `inVirtualTime` fails for an unhandled rejection.
      const started = [session.start()]
      await world.clock.elapse(10)
      await session.close()
      started.push(session.start())
      await world.clock.elapse(10)
      expect(started).toHaveLength(2)
      expectEnded(call)
    }))

  it('[CL8] the caller hangs up while the models open', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { llm: { openTakes: 2_000 } })
      const starting = call.session.start()
      await world.clock.elapse(100)
      call.caller.hangsUp()
      await expect(starting).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ reason: 'caller-hung-up' })
    }))

  it('[CL8] closing from the first listeners rejects the start, and nobody is greeted', () =>
    inVirtualTime(async (world) => {
      for (const type of ['state', 'started'] as const) {
        const greeted: string[] = []
        const call = aCall(world, { maxDuration: 60_000, agent: { onEnter: () => greeted.push(type) } })
        call.session.on(type, () => call.session.close().catch(() => {}))
        await expect(call.session.start()).rejects.toThrow(SessionClosedError)
        await call.session.afterCall
        expect(expectEnded(call).clean).toBe(true)
        expect(greeted).toEqual([])
      }
    }))

  it('[CL8] a part that cannot be opened fails the start with its own error, and the rest is released', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { openTakes: 100, openFails: new Error('401') } })
      await expect(call.session.start()).rejects.toThrow('401')
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({
        reason: 'start-failed',
        clean: false,
        error: { message: '401' },
      })
      expect(call.line.counts).toMatchObject({ opened: 1, live: 0 })
    }))

  it('[CL8] a part that throws instead of rejecting leaves no promise of another alone', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      call.line.open = async () => {
        await world.clock.elapse(10)
        throw new Error('no line')
      }
      call.llm.open = () => {
        throw new Error('no key')
      }
      await expect(call.session.start()).rejects.toThrow('no key')
      await call.session.afterCall
      await world.clock.elapse(100)
      expectEnded(call)
    }))

  it('[CL8] a model that breaks while others open makes the start fail', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { llm: { openTakes: 2_000 } })
      const starting = call.session.start()
      await world.clock.elapse(100)
      call.stt.fail(new Error('gone'))
      await expect(starting).rejects.toThrow(SessionClosedError)
      await call.session.afterCall
      expect(expectEnded(call)).toMatchObject({ reason: 'start-failed', error: { message: 'gone' } })
    }))

  it('[CL8] a toolset that never opens does not keep a starting session from closing', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { agent: { toolsets: [{ name: 'mcp', open: never }] } })
      const starting = call.session.start()
      await world.clock.elapse(100)
      await call.session.close()
      await expect(starting).rejects.toThrow(SessionClosedError)
      expectEnded(call)
    }))

  it('[CL8] a closed session does not start', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world)
      await call.session.close()
      await expect(call.session.start()).rejects.toThrow('the session is closed')
      expect(call.line.counts.asked).toBe(0)
    }))
})

describe('silence', () => {
  it('[CL9] nothing is heard from the first moment of closing, however much is queued', () =>
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

  it('[CL9] a voice that goes on after its signal is not heard', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { tts: { ignoresSignal: true, speed: 1 } })
      await call.session.start()
      call.session.say('This is going to take quite some time to say.')
      await world.clock.elapse(500)
      await call.session.close()
      await world.clock.elapse(10_000)
      expectEnded(call)
    }))

  it('[CL9] a line that cannot even be cleared is torn down all the same', () =>
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

describe('calls on a closing session', () => {
  it('[CL10] fail at once and register nothing', () =>
    inVirtualTime(async (world) => {
      const call = aCall(world, { stt: { closeTakes: 1_000 }, answers: ['No.'] })
      const { session } = call
      await session.start()
      const closed = session.close()
      const check = async (state: string): Promise<void> => {
        expect(() => session.say('Hello')).toThrow(SessionClosedError)
        expect(() => session.reply()).toThrow(SessionClosedError)
        expect(() => session.commitTurn()).toThrow(SessionClosedError)
        expect(() => session.discardTurn()).toThrow(SessionClosedError)
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

  it('[CL10] a tool that is still allowed to finish can say nothing more', () =>
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
                try {
                  say('Booked!')
                } catch (error) {
                  errors.push(error)
                }
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

  it('[CL10] every promise that was given out settles', () =>
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

  it('[CL10] a session that was never started says so', () => {
    const { session } = aCall({ clock: { now: () => 0, date: () => 0 } } as never)
    expect(() => session.say('Hello')).toThrow('not started')
  })
})

describe('a healthy close', () => {
  it('[CL12] takes no time and leaves no timer', () =>
    inVirtualTime(async (world) => {
      const call = await aBusyCall(world, { maxDuration: 600_000, idleTimeout: 60_000 })
      const report = await call.session.close({ reason: 'error' })
      expect(report.took).toBe(0)
      expect(call.clockTimers()).toEqual([])
      await call.session.afterCall
      expect(call.clockTimers()).toEqual([])
    }))

  it.each(['line', 'stt', 'llm', 'tts'])(
    '[CL8] a %s that never opens fails the start after startTimeout',
    (part) =>
      inVirtualTime(async (world) => {
        const call = aCall(world, { startTimeout: 4_000, [part]: { openHangs: true } })
        await expect(call.session.start()).rejects.toMatchObject({ code: 'START_TIMEOUT' })
        expect(world.clock.now()).toBe(4_000)
        await world.clock.elapse(6_000)
        expect(call.reports).toMatchObject([{ reason: 'start-failed', error: { code: 'START_TIMEOUT' } }])
      }),
  )
})
