import type { ScopeReport } from '../scope/index.ts'
import type { ForeignOutcome } from './foreign-close.ts'
import type { LateErrorReport } from './guard-context.ts'
import type { SeveredReport } from './open-resources.ts'
import { Latecomers } from './latecomers.ts'
import { limits } from './limits.ts'
import type { GuardReport, UnownedReport } from './report.ts'
import type { TimersReport } from './timers.ts'

/** What a guard knows when it is sealed. */
export interface Findings {
  readonly foreign: ForeignOutcome
  readonly severed: readonly SeveredReport[]
  readonly severedTotal: number
  readonly hadLatecomers: boolean
  readonly refused: number
  readonly unowned: readonly UnownedReport[]
  /** Connections that exceeded the limit and may be unowned too. */
  readonly unownedOmitted: number
  readonly timers: TimersReport
  readonly late: readonly LateErrorReport[]
  readonly lateTotal: number
}

export function writeReport(scope: ScopeReport, findings: Findings): GuardReport {
  const { severed, severedTotal, refused, timers, late, lateTotal, unownedOmitted } = findings
  const unowned = findings.unowned.slice(0, limits.reported)
  const omitted =
    severedTotal -
    severed.length +
    (lateTotal - late.length) +
    (findings.unowned.length - unowned.length) +
    unownedOmitted
  return deepFreeze({
    ...scope,
    clean: scope.clean && lateTotal === 0,
    // The resource for latecomers exists always, but is a step only if there were any.
    steps: scope.steps.filter(({ name }) => findings.hadLatecomers || name !== Latecomers.resourceName),
    omitted: scope.omitted + omitted,
    graceful: isGraceful(scope, findings),
    severed: [...severed],
    refused,
    unowned,
    timers,
    late: [...late],
  })
}

function isGraceful(scope: ScopeReport, findings: Findings): GuardReport['graceful'] {
  const { foreign, severedTotal, unowned, unownedOmitted } = findings
  if (foreign !== 'none' && foreign !== 'resolved') return false
  if (severedTotal > 0 || scope.children.some(({ report }) => !report.clean)) return false
  return unowned.length === 0 && unownedOmitted === 0 ? true : 'unverified'
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) deepFreeze(part as object)
  }
  return Object.freeze(value)
}
