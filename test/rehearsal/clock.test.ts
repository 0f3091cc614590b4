import { describe, expect, it } from 'vitest'
import type { Llm } from '../../src/parts/index.ts'
import { ScriptedLlm, StuckError, rehearse } from '../../src/testing/index.ts'
import { desk, rehearseWith } from './fixture.ts'

describe('a rehearsal that is stuck', () => {
  it('fails at once and shows what is active and the turn so far', async () => {
    await using call = await rehearseWith([['One moment. ', { stall: true }]])
    const stuck = call.run('Hello')
    await expect(stuck).rejects.toThrow(StuckError)
    await expect(stuck).rejects.toThrow(
      /^run\('Hello'\): it would wait forever[^]*still active:\n {2}reply 1\n[^]*│ {3}caller {2}Hello\n/,
    )
  })

  it('records an exhausted script as an error of the turn', async () => {
    await using call = await rehearseWith([])
    const turn = await call.run('Hello')
    turn.expect.error(/the script of 'llm' has no answer number 1/).nothingElse()
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
    await using call = await rehearse(desk(), { llm: stuck, clock: 'real', patience: 50, closeTimeout: 100 })
    await expect(call.run('Hello')).rejects.toThrow(
      /^run\('Hello'\): it did not happen within 50 ms\nstill active:\n {2}reply 1\n/,
    )
  })
})
