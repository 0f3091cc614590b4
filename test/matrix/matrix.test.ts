import { describe, expect, it } from 'vitest'
import { faultedCases, healthyCases, rudeCases } from './cases.ts'
import { runCase } from './run-case.ts'
import { wedges } from './wedges.ts'

/** `npm run matrix` runs all of them; here every so many, so that each row and column is touched. */
const every = 29

describe('a session ends well', () => {
  it.each(wedges.map((wedge) => [wedge.name, wedge] as const))('%s', async (_, wedge) => {
    const { outcome, problems } = await runCase(wedge)
    expect(problems).toEqual([])
    expect(outcome).toBe('passed')
  })

  it('ended in every way at every moment, with nothing wrong', async () => {
    const failed: string[] = []
    for (const one of healthyCases()) {
      const { problems } = await runCase(one)
      failed.push(...problems.map((problem) => `${one.name}: ${problem}`))
    }
    expect(failed).toEqual([])
  })

  it('with parts that misbehave', async () => {
    const failed: string[] = []
    for (const [index, one] of rudeCases().entries()) {
      if (index % 5 !== 0) continue
      const { problems } = await runCase(one)
      failed.push(...problems.map((problem) => `${one.name}: ${problem}`))
    }
    expect(failed).toEqual([])
  })

  it('with any of its steps made to misbehave', async () => {
    const failed: string[] = []
    let index = 0
    let fired = 0
    for (const healthy of healthyCases()) {
      for await (const one of faultedCases(healthy)) {
        if (index++ % every !== 0) continue
        const { outcome, problems } = await runCase(one)
        if (outcome === 'passed') fired++
        failed.push(...problems.map((problem) => `${one.name}: ${problem}`))
      }
    }
    expect(failed).toEqual([])
    expect(fired).toBeGreaterThan(200)
  })

  it('and the checks can fail: a second closed event is noticed, and a promise that is left hanging', async () => {
    const { problems } = await runCase({
      name: 'spoilt',
      trigger: 'close',
      moment: 'listening',
      spoil: (cast) => {
        cast.session.on('closed', (report) => cast.closed.push({ report, at: 0 }))
        cast.give('a promise nobody keeps', new Promise(() => {})).catch(() => {})
      },
    })
    expect(problems).toEqual([
      'CL1: 2 closed events; the session is closed',
      'CL10: a promise nobody keeps is left hanging',
    ])
  })
})
