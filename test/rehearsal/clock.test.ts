import { describe, expect, it } from 'vitest'
import type { Llm } from '../../src/parts/index.ts'
import { tool } from '../../src/session/index.ts'
import { ScriptedLlm, callTool, rehearse } from '../../src/testing/index.ts'
import { desk, rehearseWith } from './fixture.ts'

describe('a rehearsal', () => {
  it('records a model that does not answer as an error of the turn', async () => {
    await using call = await rehearseWith([['One moment. ', { stall: true }]])
    const turn = await call.run('Hello')
    turn.expect
      .message('One')
      .error(/answerTimeout = 10000 ms/)
      .message('Sorry')
      .nothingElse()
  })

  it('fails at once, and shows the turn so far, if it waits for words that are never said', async () => {
    const pay = tool({ description: 'Pay', approval: true, run: () => 'paid' })
    await using call = await rehearse(desk({ tools: { pay } }), { answers: [[callTool('pay')]] })
    await expect(call.run('Hello', { until: 'Thank you' })).rejects.toThrow(
      /^run\('Hello'\): the agent never said 'Thank you'[^]*approval {2}pending for pay/,
    )
  })

  it('records an exhausted script as an error of the turn', async () => {
    await using call = await rehearseWith([])
    const turn = await call.run('Hello')
    turn.expect
      .error(/the script of 'llm' has no answer number 1/)
      .message('Sorry')
      .nothingElse()
  })
})

describe('a rehearsal with its own model', () => {
  const ticking: Llm = {
    name: 'ticking',
    open: async ({ scope }) => ({
      async *generate() {
        await new Promise<void>((resolve) => void scope.clock.after(5, 'network', resolve))
        yield { type: 'text', text: 'Tick.' }
      },
    }),
  }

  it('needs the option `clock`', async () => {
    await expect(rehearse(desk(), { llm: ticking })).rejects.toThrow(/set the clock for model 'ticking'/)
    await expect(rehearse(desk(), { llm: new ScriptedLlm(), answers: [] })).rejects.toThrow('not both')
    await using call = await rehearse(desk(), { llm: new ScriptedLlm({ answers: ['Yes.'] }) })
    ;(await call.run('Hello')).expect.message('Yes.')
  })

  it('runs in real time with fast speech', async () => {
    let saved = false
    const call = await rehearse(desk(), {
      llm: ticking,
      clock: 'real',
      patience: 5_000,
      afterCall: () =>
        new Promise<void>((resolve) => {
          call.clock.after(5, 'save', resolve)
        }).then(() => (saved = true)),
    })
    const turn = await call.run('Hello')
    turn.expect.message('Tick.').nothingElse()
    expect(turn.latency).toBeGreaterThanOrEqual(4)
    expect(call.line.heard.reduce((sum, { heard }) => sum + heard, 0)).toBeLessThan(100)
    const again = await call.run('Again', { until: 'Ti' })
    await call.waits(0)
    again.expect.message('Tick.').nothingElse()
    await call.endsWell()
    expect(saved).toBe(true)
  })

  it('fails in real time when `patience` is used up', async () => {
    const stuck: Llm = {
      name: 'stuck',
      open: async () => ({
        async *generate() {
          await new Promise(() => {})
          yield { type: 'text', text: '' }
        },
      }),
    }
    // Long enough for the reply to begin, also on a busy machine.
    await using call = await rehearse(desk(), {
      llm: stuck,
      clock: 'real',
      patience: 500,
      closeTimeout: 1_000,
    })
    await expect(call.run('Hello')).rejects.toThrow(
      /^run\('Hello'\): it did not happen within 500 ms\nstill active:\n {2}reply 1\n/,
    )
  })
})
