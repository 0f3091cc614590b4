import { describe, expect, it } from 'vitest'
import { AgentTask, tool, type Toolset } from '../../src/session/index.ts'
import { callTool, rehearse } from '../../src/testing/index.ts'
import { desk, findSlot, rehearseWith } from './fixture.ts'

describe('mocks of tools', () => {
  it('get the input as parsed by the schema, and do not change the agent', async () => {
    const tools = { findSlot }
    const agent = desk({ tools })
    const inputs: unknown[] = []
    await using call = await rehearse(agent, {
      answers: [[callTool('findSlot', { day: 'Monday' })], 'Ten.'],
      tools: {
        findSlot: ({ day, people }: { day: string; people: number }, { name }) => {
          inputs.push({ day, people, name })
          return `${day} at ten`
        },
      },
    })
    const turn = await call.run('Monday?')
    turn.expect.toolCall('findSlot', { day: 'Monday', people: 1 }, 'Monday at ten')
    expect(inputs).toEqual([{ day: 'Monday', people: 1, name: 'findSlot' }])
    expect(call.toolCalls).toMatchObject([{ name: 'findSlot', mocked: true }])
    expect(agent.tools).toBe(tools)
    expect(agent.tools['findSlot']).toBe(findSlot)
  })

  it('do not run for an input that the schema rejects', async () => {
    await using call = await rehearseWith(
      [[callTool('findSlot', { day: 5 })], 'Hm.'],
      { tools: { findSlot } },
      { tools: { findSlot: () => 'never' } },
    )
    const turn = await call.run('Five?')
    turn.expect.failedToolCall('findSlot', 'the input of')
    expect(turn.toolCalls).toMatchObject([{ input: { day: 5 }, mocked: false }])
  })

  it.each([
    ['throws', { throws: 'out of paper' }, 0, 'out of paper'],
    ['throws its own error', { throws: new Error('no ink') }, 0, 'no ink'],
    ['throws late', { throws: 'out of paper', late: 300 }, 300, 'out of paper'],
    ['hangs', 'hang', 15_000, 'took longer than 15000 ms'],
    [
      'takes longer than the timeout of the tool',
      { returns: 1, late: 20_000 },
      15_000,
      'took longer than 15000 ms',
    ],
  ] as const)('fail as configured: one that %s', async (_, mock, at, text) => {
    await using call = await rehearseWith(
      [[callTool('print')], 'Hm.'],
      { tools: { print: tool({ description: 'Prints', run: () => 'printed' }) } },
      { tools: { print: mock } },
    )
    const turn = await call.run('Print it')
    turn.expect.failedToolCall('print', text).message('Hm.')
    expect(turn.latency).toBe(at)
    await call.waits(10_000)
    expect(turn.toolCalls).toMatchObject([{ how: 'failed', output: expect.stringContaining(text) }])
  })

  it('can return late, or return nothing', async () => {
    const print = tool({ description: 'Prints', run: () => 'printed' })
    await using call = await rehearseWith(
      [[callTool('print')], 'Hm.', [callTool('copy')], 'Ah.'],
      { tools: { print, copy: print } },
      { tools: { print: { returns: 3, late: 500 }, copy: {} } },
    )
    const turn = await call.run('Print it')
    turn.expect.toolCall('print', {}, 3)
    expect(turn.latency).toBe(500)
    ;(await call.run('Copy it')).expect.toolCall('copy')
  })

  it('replace tools of every agent: after a handoff by a tool or a hook, in a nested task, in a toolset', async () => {
    const real = tool({ description: 'Real', run: () => 'real' })
    const set: Toolset = { name: 'set', open: async () => ({ ofSet: real }) }
    const third = desk({ name: 'third', tools: { ofThird: real } })
    const second = desk({
      name: 'second',
      tools: { ofSecond: real },
      onTurn: (text, { session }) => {
        if (text === 'on') session.handOff(third).catch(() => {})
      },
    })
    const nested = new AgentTask<string>({
      instructions: '',
      tools: (done) => ({
        ofNested: real,
        end: tool({ description: 'Ends', run: () => done('end') }),
      }),
    })
    const names = ['ofSet', 'ofNested', 'ofSecond', 'ofThird']
    const go = desk({
      toolsets: [set],
      tools: {
        nest: tool({ description: 'Nests', run: (_, { run }) => run(nested) }),
        go: tool({ description: 'Goes', run: () => second }),
      },
    })
    // The caller's text is the name of the tool to call.
    await using call = await rehearse(go, {
      answers: ({ messages }) => {
        const last = messages.at(-1)
        return last?.role === 'user' && last.text !== 'on' ? [callTool(last.text)] : 'Fine.'
      },
      tools: Object.fromEntries(names.map((name) => [name, () => 'mock'])),
    })
    for (const text of ['ofSet', 'nest', 'ofNested', 'end', 'go', 'ofSecond', 'on', 'ofThird']) {
      await call.run(text)
    }
    const used = call.toolCalls.filter(({ name }) => names.includes(name))
    expect(used.map(({ name, output }) => `${name}: ${String(output)}`)).toEqual(
      names.map((name) => `${name}: mock`),
    )
  })
})
