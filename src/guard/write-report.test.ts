import { expect, it } from 'vitest'
import { Scope, type ScopeReport } from '../scope/index.ts'
import { formatGuard } from './report.ts'
import { writeReport, type Findings } from './write-report.ts'

const uneventful: Findings = {
  foreign: 'resolved',
  severed: [],
  severedTotal: 0,
  hadLatecomers: false,
  refused: 0,
  unowned: [],
  unownedOmitted: 0,
  timers: { cleared: 0, unreffed: 0 },
  late: [],
  lateTotal: 0,
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
  ['something severed', { severed, severedTotal: 1 }, false],
  ['something unowned', { unowned }, 'unverified'],
  ['unowned connections beyond the limit', { unownedOmitted: 1 }, 'unverified'],
  ['something severed and something unowned', { severed, severedTotal: 1, unowned }, false],
  ['a late error', { late, lateTotal: 1 }, true],
])("a guard's report is graceful or not after %s", async (_, findings, graceful) => {
  const report = writeReport(await aScope(), { ...uneventful, ...findings })
  expect(report.graceful).toBe(graceful)
  expect(report.clean).toBe(!('late' in findings))
})

it("a guard's report counts the entries it omits", async () => {
  const report = writeReport(await aScope(), { ...uneventful, severed, severedTotal: 3, late, lateTotal: 2 })
  expect(report.omitted).toBe(3)
})

it("a guard's report is printed without control characters", async () => {
  const report = writeReport(await aScope(), {
    ...uneventful,
    severed,
    severedTotal: 1,
    unowned,
    late,
    lateTotal: 1,
  })
  const text = formatGuard(report)
  expect(text).toContain('guard: NOT graceful · 1 severed · 1 unowned · 1 late errors')
  expect(text).toContain('unowned: connection to example.com:443, open for 7 ms')
  expect(text).toContain('late: uncaughtException at 3 ms: Error: red')
  expect(text).not.toContain('\u001B')
})
