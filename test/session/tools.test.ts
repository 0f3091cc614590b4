import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Late } from '../../src/scope/index.ts'
import {
  SessionClosedError,
  tool,
  type AgentOptions,
  type Tool,
  type ToolContext,
  type Toolset,
} from '../../src/session/index.ts'
import { callTool, inVirtualTime, type LlmAnswer, type World } from '../../src/testing/index.ts'
import { aCall, said, type CallOptions } from './fixture.ts'

const never = (): Promise<never> => new Promise(() => {})

/** A call that has been answered by an agent with these tools. */
async function answered(
  world: World,
  tools: Record<string, Tool>,
  answers: readonly LlmAnswer[],
  { agent, ...options }: Omit<CallOptions, 'agent'> & { agent?: Partial<AgentOptions> } = {},
) {
  const lates: Late[] = []
  const call = aCall(world, {
    agent: { tools, ...agent },
    answers,
    onLate: (late) => lates.push(late),
    ...options,
  })
  await call.session.start()
  return { ...call, lates }
}

/** The outputs in the history, by the order of the calls. */
const outputs = (session: { history: { items: readonly object[] } }): unknown[] =>
  session.history.items.flatMap((item) => ('call' in item ? [(item as { result?: unknown }).result] : []))

describe('a tool call', () => {
  it('[TL1] has a signal, a timeout and a scope of its own', () =>
    inVirtualTime(async (world) => {
      const contexts: ToolContext[] = []
      const look = tool({
        description: 'Look',
        timeout: 1_000,
        run: async (_, context) => {
          contexts.push(context)
          await world.clock.elapse(contexts.length === 1 ? 5_000 : 100)
          return 'found'
        },
      })
      const { session, clock } = await answered(world, { look }, [
        [callTool('look', { n: 1 }), callTool('look', { n: 2 })],
        'Well.',
      ])
      session.reply()
      await clock.elapse(500)
      expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false, false])
      await clock.elapse(500)
      expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, false])
      expect(outputs(session)).toMatchObject([
        { output: "'look' took longer than 1000 ms", failed: true },
        { output: 'found', failed: false },
      ])
      await clock.elapse(6_000)
      await session.close()
    }))

  it('[TL1] is cancelled by a close, and awaited', () =>
    inVirtualTime(async (world) => {
      let cleaned = false
      const look = tool({
        description: 'Look',
        run: async (_, { signal }) => {
          await new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          ).catch(() => {})
          await world.clock.elapse(300)
          cleaned = true
          throw signal.reason
        },
      })
      const { session, clock } = await answered(world, { look }, [[callTool('look')]])
      session.reply()
      await clock.elapse(100)
      const report = await session.close()
      expect([cleaned, report.took, report.clean]).toEqual([true, 300, true])
      expect(said(session)).toEqual(["look → 'look' was cancelled"])
      expect(report.transcript).toMatchObject([{ result: { failed: true } }])
    }))

  it('[TL1] with finishWithin is shielded that long, and its result is kept', () =>
    inVirtualTime(async (world) => {
      const book = tool({
        description: 'Book',
        finishWithin: 2_000,
        run: async (_, { signal }) => {
          await world.clock.elapse(1_500)
          return { booked: true, aborted: signal.aborted }
        },
      })
      const { session, clock } = await answered(world, { book }, [[callTool('book')]])
      session.reply()
      await clock.elapse(500)
      const report = await session.close()
      expect([report.took, report.clean]).toEqual([1_000, true])
      expect(report.transcript).toMatchObject([{ result: { output: '{"booked":true,"aborted":false}' } }])
    }))

  it('[TL1] with finishWithin is cancelled when that is used up', () =>
    inVirtualTime(async (world) => {
      let abortedAt = 0
      const book = tool({
        description: 'Book',
        finishWithin: 700,
        run: (_, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => {
              abortedAt = world.clock.now()
              reject(signal.reason)
            }),
          ),
      })
      const { session, clock } = await answered(world, { book }, [[callTool('book')]])
      session.reply()
      await clock.elapse(100)
      const report = await session.close()
      expect([abortedAt, report.took]).toEqual([800, 700])
      expect(report.transcript).toMatchObject([{ result: { output: "'book' was cancelled" } }])
    }))

  it('[TL1] [CL10] that is shielded cannot say anything into a session that closes', () =>
    inVirtualTime(async (world) => {
      const told: unknown[] = []
      const book = tool({
        description: 'Book',
        finishWithin: 2_000,
        run: async (_, context) => {
          await world.clock.elapse(500)
          try {
            context.say('Booked!')
          } catch (error) {
            told.push(error)
          }
        },
      })
      const { session, clock, line } = await answered(world, { book }, [[callTool('book')]])
      session.reply()
      await clock.elapse(100)
      await session.close()
      expect(told).toEqual([expect.any(SessionClosedError)])
      expect(line.playedTooLate).toEqual([])
    }))

  it('[TL1] goes on when the agent is interrupted, unless it says otherwise', () =>
    inVirtualTime(async (world) => {
      const aborted: Record<string, boolean> = {}
      const wait = (onInterrupt: 'keep' | 'cancel') =>
        tool({
          description: 'Wait',
          onInterrupt,
          run: async (_, { signal, name }) => {
            await world.clock.elapse(1_000)
            aborted[name] = signal.aborted
            return 'done'
          },
        })
      const { session, clock, lates } = await answered(world, { kept: wait('keep'), cut: wait('cancel') }, [
        ['One moment please. ', callTool('kept'), callTool('cut')],
      ])
      session.reply()
      await clock.elapse(200)
      session.interrupt()
      expect(said(session).slice(1)).toEqual(['kept → …', "cut → 'cut' was cancelled"])
      await clock.elapse(2_000)
      expect(aborted).toEqual({ kept: false, cut: true })
      expect(said(session).slice(1)).toEqual(['kept → done', "cut → 'cut' was cancelled"])
      expect(lates).toMatchObject([{ name: 'cut', outcome: 'ended', value: 'done', at: 800 }])
      await session.close()
    }))

  it('[TL1] can close the session without being waited for', () =>
    inVirtualTime(async (world) => {
      const reports: unknown[] = []
      const end = tool({
        description: 'End the call',
        run: async (_, { close }) => {
          reports.push(await close({ reason: 'agent-hung-up' }))
          await never()
        },
      })
      const { session, clock, reports: closed } = await answered(world, { end }, [[callTool('end')]])
      session.reply()
      await clock.elapse(100)
      expect(session.state).toBe('closed')
      expect(closed).toMatchObject([{ reason: 'agent-hung-up', took: 0 }])
      expect(reports).toEqual(closed)
    }))
})

describe('the output of a call', () => {
  const find = tool({
    description: 'Find',
    input: z.object({ day: z.string(), hours: z.array(z.number()).default([]) }),
    run: ({ day, hours }) => ({ day, hours }),
  })
  const output = (tools: Record<string, Tool>, name: string, input: unknown) => {
    let result: unknown
    return inVirtualTime(async (world) => {
      const { session, llm, clock } = await answered(world, tools, [[callTool(name, input)], 'Well.'])
      const reply = session.reply()
      await reply.waitForPlayout()
      ;[result] = outputs(session)
      expect(outputs(session)).toHaveLength(1)
      const asked = llm.requests[1]?.messages.filter(({ role }) => role.startsWith('tool'))
      expect(asked).toMatchObject([{ role: 'tool-call' }, { role: 'tool-result', ...pick(result) }])
      await clock.elapse(10_000)
      expect(outputs(session)).toEqual([result])
      await session.close()
    }).then(() => result as { output: string; failed: boolean })
  }
  const pick = (result: unknown): { output: string; failed: boolean } => {
    const { output: text, failed } = result as { output: string; failed: boolean }
    return { output: text, failed }
  }

  it('[TL2] is what the tool returned, as JSON', async () => {
    expect(await output({ find }, 'find', { day: 'Monday' })).toMatchObject({
      output: '{"day":"Monday","hours":[]}',
      failed: false,
    })
    const returns = (value: unknown) => ({ it: tool({ description: 'It', run: () => value }) })
    for (const [value, text] of [
      ['as it is', 'as it is'],
      [undefined, 'done'],
      [null, 'null'],
      [12n, 'a result that cannot be written as JSON'],
    ] as const)
      expect(await output(returns(value), 'it', {})).toMatchObject({ output: text, failed: false })
  })

  it('[TL2] of an unknown tool names those there are, whatever the name', async () => {
    for (const name of ['lookup', 'constructor', '__proto__', 'toString'])
      expect(await output({ find }, name, {})).toMatchObject({
        output: `there is no tool '${name}'; there are: find`,
        failed: true,
      })
    expect(await output({}, 'find', {})).toMatchObject({ output: "there is no tool 'find'; there are: none" })
  })

  it('[TL2] of bad JSON, and of JSON that is no object, says so', async () => {
    expect(await output({ find }, 'find', '{"day":')).toMatchObject({
      output: "the input of 'find' is not JSON; write it again as one JSON object",
      failed: true,
    })
    const free = tool({ description: 'Free', run: ({ day }) => day })
    for (const input of ['null', '[1]', '"day"'])
      expect(await output({ free }, 'free', input)).toMatchObject({
        output: "the input of 'free' must be one JSON object",
        failed: true,
      })
    expect(await output({ free }, 'free', '')).toMatchObject({ output: 'done' })
  })

  it('[TL2] of input that a zod schema refuses says what is wrong, and where', async () => {
    const { output: text, failed } = await output({ find }, 'find', { day: 'Monday', hours: [1, 'two'] })
    expect(text).toMatch(/^the input of 'find' is wrong: hours\.1: /)
    expect(failed).toBe(true)
  })

  it('[TL2] is the same with valibot, given what the model is told', async () => {
    const input = v.object({ day: v.pipe(v.string(), v.minLength(3)) })
    const parameters = { type: 'object', properties: { day: { type: 'string' } } }
    const seek = tool({ description: 'Seek', input, parameters, run: ({ day }) => day.toUpperCase() })
    expect(await output({ seek }, 'seek', { day: 'Monday' })).toMatchObject({ output: 'MONDAY' })
    expect(await output({ seek }, 'seek', { day: 'x' })).toMatchObject({
      output: expect.stringMatching(/^the input of 'seek' is wrong: day: /) as string,
      failed: true,
    })
  })

  it('[TL2] of a schema that throws, or never answers, is a failure in time', async () => {
    const schema = (validate: () => never | Promise<never>) => ({
      '~standard': { version: 1 as const, vendor: 'test', validate },
    })
    const checked = (validate: () => never | Promise<never>) => ({
      it: tool({
        description: 'It',
        input: schema(validate),
        parameters: {},
        timeout: 500,
        run: () => 'ran',
      }),
    })
    const throws = (): never => {
      throw new Error('bad schema')
    }
    expect(await output(checked(throws), 'it', {})).toMatchObject({ output: 'bad schema', failed: true })
    expect(await output(checked(never), 'it', {})).toMatchObject({ output: "'it' took longer than 500 ms" })
  })

  it('[TL2] of a tool that throws is its error, whether at once or later', async () => {
    const throws = (run: () => unknown) => ({ it: tool({ description: 'It', run }) })
    const error = new Error('no such day')
    expect(
      await output(throws(() => { throw error }), 'it', {}), // oxfmt-ignore
    ).toMatchObject({ output: 'no such day', failed: true })
    expect(
      await output(
        throws(async () => Promise.reject(error)),
        'it',
        {},
      ),
    ).toMatchObject({
      output: 'no such day',
      failed: true,
    })
    expect(
      await output(
        throws(async () => Promise.reject('words')),
        'it',
        {},
      ),
    ).toMatchObject({
      output: 'words',
      failed: true,
    })
  })

  it('[TL2] comes also where the kernel itself is made to fail', async () => {
    for (const fault of ['throw', 'reject', 'hang', 'ignore-signal'] as const)
      await inVirtualTime(async (world) => {
        const work = tool({ description: 'It', timeout: 500, run: () => world.clock.elapse(900) })
        const { session, faults } = await answered(world, { it: work }, [[callTool('it')], 'Well.'])
        faults.set('task:it', fault)
        await session.reply().waitForPlayout()
        expect(outputs(session)).toMatchObject([{ failed: true }])
        const report = await session.close()
        expect(report.transcript.filter(({ type }) => type === 'tool')).toMatchObject([{ result: {} }])
      })
  })

  it('[TL2] is in the report of a session that closes meanwhile, whatever the tool does', async () => {
    const ways: ((signal: AbortSignal) => unknown)[] = [
      never,
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('partly'))),
      (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('broken')))),
    ]
    for (const run of ways)
      await inVirtualTime(async (world) => {
        const work = tool({ description: 'It', run: (_, { signal }) => run(signal) })
        const { session, clock } = await answered(world, { it: work }, [[callTool('it'), callTool('it')]])
        session.reply()
        await clock.elapse(100)
        const report = await session.close()
        const result = { output: "'it' was cancelled", failed: true }
        expect(report.transcript).toMatchObject([{ result }, { result }])
      })
  })

  it('[TL2] is in the report also of a tool that was never told to stop', () =>
    inVirtualTime(async (world) => {
      const work = tool({ description: 'Work', timeout: 60_000, run: never })
      const { session, faults, clock } = await answered(world, { work }, [[callTool('work')]])
      faults.set('task:work', 'ignore-signal')
      session.reply()
      await clock.elapse(100)
      const report = await session.close()
      expect(report.transcript).toMatchObject([{ result: { output: "'work' was cancelled", failed: true } }])
    }))

  it('[TL2] of several calls at once comes for each, and they run at the same time', () =>
    inVirtualTime(async (world) => {
      const wait = tool({
        description: 'Wait',
        input: z.object({ ms: z.number() }),
        run: async ({ ms }) => {
          await world.clock.elapse(ms)
          return ms
        },
      })
      const { session, llm, clock } = await answered(world, { wait }, [
        [callTool('wait', { ms: 300 }), callTool('wait', { ms: 100 }), callTool('nope')],
        'Well.',
      ])
      const reply = session.reply()
      await reply.finished
      expect(clock.now()).toBe(300)
      expect(outputs(session).map((result) => pick(result).output)).toEqual([
        '300',
        '100',
        "there is no tool 'nope'; there are: wait",
      ])
      expect(llm.requests[1]?.messages).toHaveLength(6)
      await session.close()
    }))

  it('[TL2] of equal calls is shared while the first runs, unless the tool wants to run each', () =>
    inVirtualTime(async (world) => {
      const runs: string[] = []
      const slow = (duplicates: 'join' | 'run') =>
        tool({
          description: 'Slow',
          duplicates,
          run: async (_, { name }) => {
            runs.push(name)
            await world.clock.elapse(100)
            return runs.length
          },
        })
      const { session } = await answered(world, { one: slow('join'), each: slow('run') }, [
        // Models use their ids again.
        [
          callTool('one', {}, 'a'),
          callTool('one', {}, 'a'),
          callTool('each', {}, 'a'),
          callTool('each', {}, 'a'),
        ],
        'Well.',
      ])
      await session.reply().finished
      expect(runs).toEqual(['one', 'each', 'each'])
      expect(outputs(session)).toMatchObject([
        { output: '3' },
        { output: '3' },
        { output: '3' },
        { output: '3' },
      ])
      await session.close()
    }))
})

describe('a late result', () => {
  it('[TL3] of a call that timed out changes nothing and goes to onLate, once', () =>
    inVirtualTime(async (world) => {
      const slow = tool({
        description: 'Slow',
        timeout: 500,
        run: async () => {
          await world.clock.elapse(2_000)
          return 'too late'
        },
      })
      const { session, llm, clock, lates } = await answered(world, { slow }, [[callTool('slow')], 'Well.'])
      await session.reply().waitForPlayout()
      const before = said(session)
      await clock.elapse(5_000)
      expect(said(session)).toEqual(before)
      expect(llm.requests).toHaveLength(2)
      expect(lates).toEqual([
        {
          scope: 'session test/tool slow',
          name: 'slow',
          kind: 'task',
          outcome: 'ended',
          value: 'too late',
          at: 1_500,
        },
      ])
      await session.close()
      expect(lates).toHaveLength(1)
    }))

  it('[TL3] of a call that was given up long ago goes to onLate, too, once', () =>
    inVirtualTime(async (world) => {
      const slow = tool({
        description: 'Slow',
        timeout: 500,
        run: async () => {
          await world.clock.elapse(60_000)
          throw new Error('far too late')
        },
      })
      const { session, clock, lates } = await answered(world, { slow }, [[callTool('slow')], 'Well.'])
      await session.reply().waitForPlayout()
      await session.close()
      expect(lates).toEqual([])
      await clock.elapse(60_000)
      expect(lates).toMatchObject([{ name: 'slow', outcome: 'failed', error: new Error('far too late') }])
    }))

  it('[TL3] of a call that closing cancelled, within the close or after it', async () => {
    for (const takes of [1_000, 20_000])
      await inVirtualTime(async (world) => {
        const slow = tool({
          description: 'Slow',
          run: async () => {
            await world.clock.elapse(takes)
            return 'late'
          },
        })
        const { session, clock, lates } = await answered(world, { slow }, [[callTool('slow')]])
        session.reply()
        await clock.elapse(100)
        const { transcript } = await session.close()
        await clock.elapse(30_000)
        expect(transcript).toMatchObject([{ result: { output: "'slow' was cancelled" } }])
        expect(session.history.items).toEqual(transcript)
        expect(lates).toMatchObject([{ name: 'slow', outcome: 'ended', value: 'late', at: takes - 100 }])
      })
  })

  it('[TL3] a tool that answers its signal is not late; its context is of no use any more', () =>
    inVirtualTime(async (world) => {
      let kept: ToolContext | undefined
      const polite = tool({
        description: 'Polite',
        timeout: 500,
        run: (_, context) => {
          kept = context
          return new Promise((_resolve, reject) =>
            context.signal.addEventListener('abort', () => reject(context.signal.reason)),
          )
        },
      })
      const { session, lates, line } = await answered(world, { polite }, [[callTool('polite')], 'Well.'])
      await session.reply().waitForPlayout()
      expect(lates).toEqual([])
      expect(() => kept?.say('Hello?')).toThrow(/has ended/)
      expect(() => kept?.progress('half')).toThrow(/has ended/)
      expect(await kept?.waitForPlayout()).toEqual({ how: 'interrupted', stopped: false })
      expect(line.heardText).toBe('Well.')
      await session.close()
    }))

  it('[TL3] a listener that throws disturbs nobody', () =>
    inVirtualTime(async (world) => {
      const slow = tool({ description: 'Slow', timeout: 100, run: () => world.clock.elapse(300) })
      const { session, clock, log } = await answered(world, { slow }, [[callTool('slow')], 'Well.'], {
        onLate: () => {
          throw new Error('broken listener')
        },
      })
      await session.reply().waitForPlayout()
      await clock.elapse(1_000)
      expect(log).toEqual(['agent played: Well.'])
      expect((await session.close()).clean).toBe(true)
    }))
})

describe('a tool and an interruption', () => {
  const slow = (world: World) =>
    tool({
      description: 'Slow',
      timeout: 60_000,
      run: async () => {
        await world.clock.elapse(3_000)
        return 'the result'
      },
    })

  it('[TL4] its result is kept in the history, unspoken', () =>
    inVirtualTime(async (world) => {
      const { session, llm, line, clock } = await answered(world, { slow: slow(world) }, [
        ['Let me look. ', callTool('slow')],
        'Never said.',
      ])
      const reply = session.reply()
      await clock.elapse(400)
      session.interrupt()
      expect(await reply.finished).toEqual({ how: 'interrupted' })
      await clock.elapse(5_000)
      expect(said(session)).toEqual(['agent: Let me —', 'slow → the result'])
      expect(llm.requests).toHaveLength(1)
      expect(line.heardText).toBe('Let me l')
      await session.close()
    }))

  it('[TL4] also if it came just before, or at the very moment', async () => {
    for (const at of [2_990, 3_000])
      await inVirtualTime(async (world) => {
        const { session, clock } = await answered(
          world,
          { slow: slow(world) },
          [
            ['One. ', callTool('slow')],
            [{ wait: 500 }, 'Never said.'],
          ],
          {},
        )
        session.reply()
        await clock.elapse(at)
        session.interrupt()
        await clock.elapse(5_000)
        expect(said(session)).toEqual(['agent: One. ', 'slow → the result'])
        await session.close()
      })
  })

  it('[TL9] the next turn is answered at once while the tool runs on, and its model knows that it does', () =>
    inVirtualTime(async (world) => {
      const { session, caller, llm, clock } = await answered(world, { slow: slow(world) }, [
        ['Let me look. ', callTool('slow')],
        'We close at six.',
        'As I said.',
      ])
      caller.types('Is Monday free?')
      await clock.elapse(1_000)
      caller.types('When do you close?')
      await caller.hears('We close at six.')
      expect(clock.now()).toBeLessThan(2_000)
      expect(llm.requests[1]?.messages.at(-2)).toMatchObject({ role: 'tool-result', output: 'still running' })
      await clock.elapse(3_000)
      caller.types('And Monday?')
      await caller.hears('As I said.')
      expect(llm.requests[2]?.messages).toContainEqual(
        expect.objectContaining({ role: 'tool-result', output: 'the result', failed: false }),
      )
      expect(said(session).filter((line) => line.startsWith('user'))).toEqual([
        'user: Is Monday free?',
        'user: When do you close?',
        'user: And Monday?',
      ])
      await session.close()
    }))

  it('[TL9] also if the caller says it, in the middle of the words before the tool, and the tool ignores all', () =>
    inVirtualTime(async (world) => {
      const deaf = tool({
        description: 'Deaf',
        timeout: 60_000,
        run: async (_, { waitForPlayout }) => {
          await waitForPlayout()
          await never()
        },
      })
      const { session, caller, clock } = await answered(world, { deaf }, [
        ['Let me look that up, it will take me a while. ', callTool('deaf')],
        'We close at six.',
      ])
      caller.types('Is Monday free?')
      await clock.elapse(500)
      await caller.says('When do you close?')
      await caller.pauses(1_000)
      await caller.hears('We close at six.')
      const report = await session.close()
      expect(report.scope.clean).toBe(false)
      expect(report.took).toBeLessThan(5_000)
      expect(said(session).filter((line) => line.startsWith('user'))).toHaveLength(2)
    }))

  it('[TL9] a turn that is being read by a hook is not lost when the next one comes', () =>
    inVirtualTime(async (world) => {
      const { session, caller, clock } = await answered(world, {}, ['Fine.'], {
        agent: { onTurn: (text) => (text === 'One' ? never() : undefined) },
      })
      caller.types('One')
      await clock.elapse(100)
      caller.types('Two')
      await caller.hears('Fine.')
      await clock.elapse(5_000)
      expect(said(session)).toEqual(['user: One', 'user: Two', 'agent: Fine.'])
      await session.close()
    }))

  it('[TL9] its filler is not said into the next turn, whether its time has come or not', async () => {
    for (const after of [100, 1_000])
      await inVirtualTime(async (world) => {
        const filler = { say: 'One moment.', after }
        const filled = tool({ description: 'Filled', filler, run: () => world.clock.elapse(3_000) })
        const { session, line, clock } = await answered(world, { filled }, [
          ['Let me see. ', callTool('filled')],
        ])
        session.reply()
        await clock.elapse(500)
        session.interrupt()
        await clock.elapse(5_000)
        expect(line.heardText).toBe('Let me see')
        await session.close()
      })
  })
})

describe('what a tool may do meanwhile', () => {
  it('[TL1] a filler is said into a silence that lasts, after the words before the tool', () =>
    inVirtualTime(async (world) => {
      const filled = (takes: number) =>
        tool({
          description: 'Filled',
          filler: { say: 'One moment. ', after: 500 },
          run: () => world.clock.elapse(takes),
        })
      const { session, line } = await answered(world, { quick: filled(400), slow: filled(4_000) }, [
        ['I look it up for you now. ', callTool('quick')],
        ['And again, for somebody else. ', callTool('slow')],
        'Done.',
      ])
      await session.reply().waitForPlayout()
      expect(line.heardText).toBe('I look it up for you now. And again, for somebody else. One moment. Done.')
      await session.close()
    }))

  it('[TL1] it can tell how far it is, and say something', () =>
    inVirtualTime(async (world) => {
      const events: unknown[] = []
      const work = tool({
        description: 'Work',
        run: async (_, { progress, say, id }) => {
          progress('half')
          await say('Half way. ').waitForPlayout()
          return id
        },
      })
      const { session, line } = await answered(world, { work }, [[callTool('work', { a: 1 })], 'Done.'])
      session.on('tool', (event) => events.push(event))
      session.on('progress', (event) => events.push(event))
      session.on('tool-done', (event) => events.push(event))
      await session.reply().waitForPlayout()
      const { id } = session.history.items[0]!
      expect(events).toEqual([
        { id, name: 'work', input: '{"a":1}' },
        { id, name: 'work', update: 'half' },
        { id, name: 'work', outcome: { output: id, failed: false, value: id } },
      ])
      expect(line.heardText).toBe('Half way. Done.')
      await session.close()
    }))
})

describe('a runaway loop', () => {
  it('[TL6] is stopped by a limit that names itself, to the model first and then to everybody', () =>
    inVirtualTime(async (world) => {
      let runs = 0
      const again = tool({ description: 'Again', run: () => ++runs })
      const { session, llm, errors } = await answered(world, { again }, [], {
        llm: { answers: (_, index) => [callTool('again', { index })] },
        maxToolSteps: 3,
      })
      const { how, error } = await session.reply().finished
      expect([how, runs]).toEqual(['failed', 3])
      expect(String(error)).toMatch(/limit maxToolSteps = 3/)
      expect(errors).toEqual([error])
      expect(llm.requests).toHaveLength(5)
      expect(outputs(session).slice(3)).toMatchObject([
        { output: expect.stringMatching(/limit maxToolSteps = 3/) as string, failed: true },
        { failed: true },
      ])
      await session.close()
    }))

  it('[TL6] a model that heeds the limit still gives its answer', () =>
    inVirtualTime(async (world) => {
      const again = tool({ description: 'Again', run: () => 'ok' })
      const { session, line } = await answered(world, { again }, [], {
        llm: {
          answers: ({ messages }) =>
            messages.some((message) => 'output' in message && message.output.includes('maxToolSteps'))
              ? 'That is all.'
              : [callTool('again')],
        },
        maxToolSteps: 2,
      })
      await session.reply().waitForPlayout()
      expect(line.heardText).toBe('That is all.')
      await session.close()
    }))
})

describe('a toolset', () => {
  const toolset = (events: string[], open: () => Promise<void> = async () => {}): Toolset => ({
    name: 'crm',
    open: async ({ scope }) => {
      await scope.open('connection', async () => {
        await open()
        events.push('opened')
        return { close: () => void events.push('closed'), abort: () => void events.push('aborted') }
      })
      return { find: tool({ description: 'Find', run: () => 'Ada' }) }
    },
  })

  it('[TL7] is opened with the session, used like any tool, and closed with it', () =>
    inVirtualTime(async (world) => {
      const events: string[] = []
      const { session, llm } = await answered(world, {}, [[callTool('find')], 'It is Ada.'], {
        agent: { toolsets: [toolset(events)] },
      })
      expect(events).toEqual(['opened'])
      await session.reply().waitForPlayout()
      expect(llm.requests[0]?.tools).toMatchObject([{ name: 'find' }])
      expect(said(session)).toEqual(['find → Ada', 'agent: It is Ada.'])
      expect((await session.close()).clean).toBe(true)
      expect(events).toEqual(['opened', 'closed'])
    }))

  it('[TL7] that cannot be opened fails the start, and what was opened is closed', () =>
    inVirtualTime(async (world) => {
      const events: string[] = []
      const { session, reports, line } = aCall(world, {
        agent: {
          toolsets: [toolset(events), toolset(events, () => Promise.reject(new Error('no such server')))],
        },
      })
      await expect(session.start()).rejects.toThrow('no such server')
      await session.close()
      expect(events).toEqual(['opened', 'closed'])
      expect(reports).toMatchObject([{ reason: 'start-failed' }])
      expect(line.counts.live).toBe(0)
    }))

  it('[TL7] that hangs while it opens is left behind by a close; what it brings later is aborted', () =>
    inVirtualTime(async (world) => {
      const events: string[] = []
      const { session, clock } = aCall(world, {
        agent: { toolsets: [toolset(events, () => world.clock.elapse(30_000))] },
      })
      const started = session.start()
      await clock.elapse(1_000)
      const report = await session.close()
      await expect(started).rejects.toThrow(SessionClosedError)
      expect(report.took).toBeLessThanOrEqual(5_000)
      expect(events).toEqual([])
      await clock.elapse(40_000)
      expect(events).toEqual(['opened', 'aborted'])
    }))

  it('[TL7] that hangs while it closes is aborted on time', () =>
    inVirtualTime(async (world) => {
      const events: string[] = []
      const stuck: Toolset = {
        name: 'stuck',
        open: async ({ scope }) => {
          scope.own('connection', { close: never, abort: () => void events.push('aborted') })
          return {}
        },
      }
      const { session } = await answered(world, {}, [], { agent: { toolsets: [stuck] } })
      const report = await session.close()
      expect(report.took).toBeLessThanOrEqual(5_000)
      expect(events).toEqual(['aborted'])
    }))
})

describe('approval', () => {
  const pay = tool({
    description: 'Pay',
    input: z.object({ amount: z.number() }),
    timeout: 1_000,
    approval: ({ amount }) => amount > 10,
    run: ({ amount }) => `paid ${amount}`,
  })

  it('[TL8] a tool that needs it waits for it, and none of its own time is used up meanwhile', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await answered(world, { pay }, [
        [callTool('pay', { amount: 5 }), callTool('pay', { amount: 50 }), callTool('pay', { amount: 500 })],
        'Done.',
      ])
      const wanted: { id: string; input: unknown }[] = []
      session.on('approval', (event) => wanted.push(event))
      const reply = session.reply()
      await clock.elapse(5_000)
      expect(wanted.map(({ input }) => input)).toEqual([{ amount: 50 }, { amount: 500 }])
      expect(session.approve(wanted[0]!.id, true)).toBe(true)
      expect(session.approve(wanted[0]!.id, true)).toBe(false)
      expect(session.approve(wanted[1]!.id, false)).toBe(true)
      expect(session.approve('nobody', true)).toBe(false)
      await reply.waitForPlayout()
      expect(said(session)).toEqual([
        'pay → paid 5',
        'pay → paid 50',
        "pay → the call of 'pay' was not approved",
        'agent: Done.',
      ])
      await session.close()
    }))

  it('[TL8] can be given from inside the event', () =>
    inVirtualTime(async (world) => {
      const { session } = await answered(world, { pay }, [[callTool('pay', { amount: 50 })], 'Done.'])
      session.on('approval', ({ id }) => session.approve(id, true))
      await session.reply().waitForPlayout()
      expect(said(session)[0]).toBe('pay → paid 50')
      await session.close()
    }))

  it('[TL8] that is pending is settled by closing, at once, and the tool never runs', () =>
    inVirtualTime(async (world) => {
      let ran = false
      const shielded = tool({
        description: 'Pay',
        approval: true,
        finishWithin: 3_000,
        run: () => {
          ran = true
        },
      })
      const { session, clock } = await answered(world, { pay: shielded }, [[callTool('pay')]])
      let id = ''
      session.on('approval', (event) => (id = event.id))
      session.reply()
      await clock.elapse(100)
      const report = await session.close()
      expect([report.took, report.clean, ran]).toEqual([0, true, false])
      expect(report.transcript).toMatchObject([{ result: { output: "'pay' was cancelled" } }])
      expect(session.approve(id, true)).toBe(false)
    }))

  it('[TL8] that never comes does not hold a drain back', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await answered(world, { pay }, [[callTool('pay', { amount: 50 })]], {
        stallTimeout: 2_000,
      })
      session.reply()
      await clock.elapse(100)
      await session.drain()
      expect(clock.now()).toBe(2_100)
    }))
})
