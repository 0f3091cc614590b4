import { expect, it } from 'vitest'
import { Scope, type ScopeReport } from '../scope/index.ts'
import { formatGuard } from './report.ts'
import { writeReport, type Findings } from './write-report.ts'

const quiet: Findings = {
  foreign: 'resolved',
  severed: [],
  severedInAll: 0,
  hadLatecomers: false,
  refused: 0,
  unowned: [],
  unownedOmitted: 0,
  timers: { cleared: 0, unreffed: 0 },
  late: [],
  lateInAll: 0,
}
const severed = [{ kind: 'socket', name: 'socket to example.com:443', age: 5 }] as const
const unowned = [{ to: 'example.com:443', age: 7 }]
const late = [
  { origin: 'uncaughtException', at: 3, error: { name: 'Error', message: 'red \u001B[31m' } },
] as const

const aScope = async (): Promise<ScopeReport> => new Scope('call').close()

it.each<[after: string, findings: Partial<Findings>, graceful: unknown]>([
  ['a close that resolved', {}, true],
  ['no close', { foreign: 'none' }, true],
  ['a close that failed', { foreign: 'failed' }, false],
  ['a close that was cut off', { foreign: 'cut' }, false],
  ['something severed', { severed, severedInAll: 1 }, false],
  ['something unowned', { unowned }, 'unverified'],
  ['unowned ones that were not remembered', { unownedOmitted: 1 }, 'unverified'],
  ['something severed and something unowned', { severed, severedInAll: 1, unowned }, false],
  ['a late error', { late, lateInAll: 1 }, true],
])('after %s an end is as graceful as it was', async (_, findings, graceful) => {
  const report = writeReport(await aScope(), { ...quiet, ...findings })
  expect(report.graceful).toBe(graceful)
  expect(report.clean).toBe(!('late' in findings))
})

it('it counts what it leaves out', async () => {
  const report = writeReport(await aScope(), { ...quiet, severed, severedInAll: 3, late, lateInAll: 2 })
  expect(report.omitted).toBe(3)
})

it('it prints nothing that could control a terminal', async () => {
  const report = writeReport(await aScope(), {
    ...quiet,
    severed,
    severedInAll: 1,
    unowned,
    late,
    lateInAll: 1,
  })
  const text = formatGuard(report)
  expect(text).toContain('guard: NOT graceful · 1 severed · 1 unowned · 1 late errors')
  expect(text).toContain('unowned: connection to example.com:443, open for 7 ms')
  expect(text).toContain('late: uncaughtException at 3 ms: Error: red')
  expect(text).not.toContain('\u001B')
})
