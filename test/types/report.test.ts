import { describe, expect, expectTypeOf, it } from 'vitest'

import {
  formatReport,
  isHealthy,
  rowsOf,
  type Heading,
  type Note,
  type Outcome,
  type Row,
  type Span,
} from '../../src/report/index.ts'
import type { ScopeReport, StepOutcome, TaskOutcome } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const report: ScopeReport
declare const ofSession: SessionReport

describe('printing a report', () => {
  it('takes the report of a scope, which a session report contains', () =>
    types(() => {
      expectTypeOf(formatReport(report, { width: 100, color: false })).toEqualTypeOf<string>()
      expectTypeOf(formatReport(ofSession.scope)).toEqualTypeOf<string>()
      // @ts-expect-error `formatSession` prints the report of a session
      formatReport(ofSession)
      // @ts-expect-error American spelling
      formatReport(report, { colour: true })
      // @ts-expect-error an option that is not set is left out
      formatReport(report, { width: undefined })
    }))
})

describe('the rows of a report', () => {
  it('are told apart by their type', () =>
    types(() => {
      for (const row of rowsOf(report)) {
        expectTypeOf(row).toEqualTypeOf<Row>()
        if (row.type === 'span') expectTypeOf(row).toEqualTypeOf<Span>()
        else if (row.type === 'phase') expectTypeOf(row).toEqualTypeOf<Heading>()
        else expectTypeOf(row).toEqualTypeOf<Note>()
        // @ts-expect-error no such row
        if (row.type === 'footer') return
      }
    }))

  it('have the outcomes of tasks, steps and scopes', () => {
    expectTypeOf<Outcome>().toEqualTypeOf<TaskOutcome | StepOutcome | 'clean' | 'not clean'>()
    types(() => {
      isHealthy('done')
      // @ts-expect-error misspelt
      isHealthy('timedout')
    })
  })
})

describe('a report', () => {
  it('cannot be changed', () =>
    types(() => {
      // @ts-expect-error read-only
      report.clean = true
      // @ts-expect-error a list in a report cannot grow
      report.tasks.push(report.tasks[0]!)
      // @ts-expect-error an entry cannot be changed
      report.steps[0]!.outcome = 'done'
      // @ts-expect-error a total cannot be changed
      report.totals.failed = 0
      // @ts-expect-error the report of a child is as frozen as its parent's
      report.children[0]!.report.reason = 'done'
    }))
})
