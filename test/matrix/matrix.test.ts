import { describe, expect, it } from 'vitest'
import { faultedCases, healthyCases, misbehavingCases } from './cases.ts'
import { runCase } from './run-case.ts'
import { knownHangs } from './known-hangs.ts'

/** Runs every 29th faulted case, which touches each row and column. `npm run matrix` runs all of them. */
const every = 29

describe('a session in the matrix', () => {
  it.each(knownHangs.map((hang) => [hang.name, hang] as const))('ends well: %s', async (_, hang) => {
    const { outcome, problems } = await runCase(hang)
    expect(problems).toEqual([])
    expect(outcome).toBe('passed')
  })

  it('ends well in every way at every moment', async () => {
    const failed: string[] = []
    for (const one of healthyCases()) {
      const { problems } = await runCase(one)
      failed.push(...problems.map((problem) => `${one.name}: ${problem}`))
    }
    expect(failed).toEqual([])
  })

  it('ends well with misbehaving parts', async () => {
    const failed: string[] = []
    for (const [index, one] of misbehavingCases().entries()) {
      if (index % 5 !== 0) continue
      const { problems } = await runCase(one)
      failed.push(...problems.map((problem) => `${one.name}: ${problem}`))
    }
    expect(failed).toEqual([])
  })

  it('ends well with any of its steps made to misbehave', async () => {
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

  it('fails the checks if it emits `closed` twice or leaves a promise pending', async () => {
    const { problems } = await runCase({
      name: 'tampered',
      trigger: 'close',
      moment: 'listening',
      tamper: (call) => {
        call.session.on('closed', (report) => call.closed.push({ report, at: 0 }))
        call.track('a promise', new Promise(() => {})).catch(() => {})
      },
    })
    expect(problems).toEqual(['CL1: 2 closed events; the session is closed', 'CL10: a promise never settled'])
  })
})
