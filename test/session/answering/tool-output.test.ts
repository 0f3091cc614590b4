import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tool, type Tool } from '../../../src/session/index.ts'
import { callTool, inVirtualTime } from '../../../src/testing/index.ts'
import { never } from '../fixture.ts'
import { aCallWithTools, outputs } from './tool-fixture.ts'

describe('the output of a tool call', () => {
  const find = tool({
    description: 'Find',
    input: z.object({ day: z.string(), hours: z.array(z.number()).default([]) }),
    run: ({ day, hours }) => ({ day, hours }),
  })
  const output = (tools: Record<string, Tool>, name: string, input: unknown) => {
    let result: unknown
    return inVirtualTime(async (world) => {
      const { session, llm, clock } = await aCallWithTools(world, tools, [[callTool(name, input)], 'Well.'])
      const reply = session.reply()
      await reply.waitForPlayout()
      ;[result] = outputs(session)
      expect(outputs(session)).toHaveLength(1)
      const toolMessages = llm.requests[1]?.messages.filter(({ role }) => role.startsWith('tool'))
      expect(toolMessages).toMatchObject([{ role: 'tool-call' }, { role: 'tool-result', ...pick(result) }])
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
      ['text', 'text'],
      [undefined, 'done'],
      [null, 'null'],
      [12n, 'a result that cannot be written as JSON'],
    ] as const)
      expect(await output(returns(value), 'it', {})).toMatchObject({ output: text, failed: false })
  })

  it('[TL2] lists the known tools if the tool is unknown, whatever its name', async () => {
    for (const name of ['lookup', 'constructor', '__proto__', 'toString'])
      expect(await output({ find }, name, {})).toMatchObject({
        output: `there is no tool '${name}'; there are: find`,
        failed: true,
      })
    expect(await output({}, 'find', {})).toMatchObject({ output: "there is no tool 'find'; there are: none" })
  })

  it('[TL2] says that the input is not JSON, or not an object', async () => {
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

  it('[TL2] says which field of the input a zod schema rejects, and why', async () => {
    const { output: text, failed } = await output({ find }, 'find', { day: 'Monday', hours: [1, 'two'] })
    expect(text).toMatch(/^the input of 'find' is wrong: hours\.1: /)
    expect(failed).toBe(true)
  })

  it('[TL2] says the same with a valibot schema and explicit parameters', async () => {
    const input = v.object({ day: v.pipe(v.string(), v.minLength(3)) })
    const parameters = { type: 'object', properties: { day: { type: 'string' } } }
    const seek = tool({ description: 'Seek', input, parameters, run: ({ day }) => day.toUpperCase() })
    expect(await output({ seek }, 'seek', { day: 'Monday' })).toMatchObject({ output: 'MONDAY' })
    expect(await output({ seek }, 'seek', { day: 'x' })).toMatchObject({
      output: expect.stringMatching(/^the input of 'seek' is wrong: day: /) as string,
      failed: true,
    })
  })

  it('[TL2] is a failure if the schema throws or never settles', async () => {
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

  it('[TL2] is the error of a tool that throws or rejects', async () => {
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
        throws(async () => Promise.reject('not an error')),
        'it',
        {},
      ),
    ).toMatchObject({
      output: 'not an error',
      failed: true,
    })
  })

  it('[TL2] exists even if the task of the tool is made to fail', async () => {
    for (const fault of ['throw', 'reject', 'hang', 'ignore-signal'] as const)
      await inVirtualTime(async (world) => {
        const work = tool({ description: 'It', timeout: 500, run: () => world.clock.elapse(900) })
        const { session, faults } = await aCallWithTools(world, { it: work }, [[callTool('it')], 'Well.'])
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
        const { session, clock } = await aCallWithTools(world, { it: work }, [
          [callTool('it'), callTool('it')],
        ])
        session.reply()
        await clock.elapse(100)
        const report = await session.close()
        const result = { output: "'it' was cancelled", failed: true }
        expect(report.transcript).toMatchObject([{ result }, { result }])
      })
  })

  it('[TL2] is in the report even if the tool was never cancelled', () =>
    inVirtualTime(async (world) => {
      const work = tool({ description: 'Work', timeout: 60_000, run: never })
      const { session, faults, clock } = await aCallWithTools(world, { work }, [[callTool('work')]])
      faults.set('task:work', 'ignore-signal')
      session.reply()
      await clock.elapse(100)
      const report = await session.close()
      expect(report.transcript).toMatchObject([{ result: { output: "'work' was cancelled", failed: true } }])
    }))

  it('[TL2] exists for each of several calls, which run in parallel', () =>
    inVirtualTime(async (world) => {
      const wait = tool({
        description: 'Wait',
        input: z.object({ ms: z.number() }),
        run: async ({ ms }) => {
          await world.clock.elapse(ms)
          return ms
        },
      })
      const { session, llm, clock } = await aCallWithTools(world, { wait }, [
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

  it('[TL2] is shared by identical calls, except with duplicates: run', () =>
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
      const { session } = await aCallWithTools(world, { one: slow('join'), each: slow('run') }, [
        // Models reuse their ids.
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

describe('a runaway loop of tool calls', () => {
  it('[TL6] is stopped by maxToolSteps: first the model reads that it must answer, then the reply fails', () =>
    inVirtualTime(async (world) => {
      let runs = 0
      const again = tool({ description: 'Again', run: () => ++runs })
      const { session, llm, errors } = await aCallWithTools(world, { again }, [], {
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

  it('[TL6] still gets an answer if the model heeds the limit', () =>
    inVirtualTime(async (world) => {
      const again = tool({ description: 'Again', run: () => 'ok' })
      const { session, line } = await aCallWithTools(world, { again }, [], {
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
