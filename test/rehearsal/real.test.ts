import { describe, expect, it } from 'vitest'
import type { Llm } from '../../src/parts/index.ts'
import { tool } from '../../src/session/index.ts'
import { callTool, rehearse } from '../../src/testing/index.ts'
import { desk, rehearseWith } from './fixture.ts'

/** Something real, such as an answer from a network: virtual time passes without it. */
const real = (): Promise<never> => new Promise(() => {})

const says = /ms of virtual time: it waits for something real, .* Mock it, or rehearse with clock: 'real'/

describe('a rehearsal in virtual time', () => {
  const read = tool({ description: 'Reads a file', run: real })

  it('[SI4] says that a tool which reached its time limit waits for something real', async () => {
    await using call = await rehearseWith([[callTool('read')], 'Hm.'], { tools: { read } })
    const turn = await call.run('Read it')
    expect(String(turn)).toMatch(says)
    expect(() => turn.expect.toolCall('read')).toThrow(says)
    // The model is told what it would be told in production.
    expect(turn.toolCalls[0]).toMatchObject({ output: "'read' took longer than 15000 ms" })
  })

  it('[SI4] says the same of a hook, a guardrail and a model', async () => {
    const stuck: Llm = {
      name: 'stuck',
      open: async () => ({
        async *generate() {
          await real()
          yield { type: 'text', text: 'Yes.' }
        },
      }),
    }
    const agent = desk({
      onEnter: real,
      guardrails: { input: { lawyer: real } },
    })
    await using call = await rehearse(agent, { llm: stuck, clock: 'virtual' })
    expect(String(call.greeting)).toMatch(says)
    const turn = await call.run('Hello')
    const errors = String(turn)
      .split('\n')
      .filter((line) => says.test(line))
    expect(errors).toEqual([expect.stringContaining('llm'), expect.stringContaining('guardrail lawyer')])
  })

  it('[SI4] does not say so of what a mock, a fault or a script has made late', async () => {
    await using call = await rehearseWith(
      [[callTool('read')], 'Hm.', [callTool('print')], 'Hm.', [{ stall: true }]],
      { tools: { read, print: tool({ description: 'Prints', run: () => 'printed' }) } },
      { tools: { read: 'hang' }, faults: { 'task:print': 'hang' } },
    )
    for (const words of ['Read it', 'Print it', 'Answer']) {
      const turn = await call.run(words)
      expect(String(turn)).toMatch(/took longer than|answerTimeout/)
      expect(String(turn)).not.toMatch(/virtual/)
    }
  })
})
