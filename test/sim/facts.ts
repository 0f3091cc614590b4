import type { Scope } from '../../src/index.ts'
import type { CancelledError, Change, Late, ScopeReport, TaskHandle } from '../../src/scope/index.ts'

/** Everything that one simulated life leaves to be checked. */
export interface Facts {
  readonly root: ScopeFacts
  readonly late: Late[]
  readonly changes: Change[]
  /** The times to which the clock jumped. */
  readonly jumps: number[]
}

/** What the world itself observed about one scope, independently of the scope's report. */
export interface ScopeFacts {
  readonly scope: Scope<string>
  readonly name: string
  readonly parent: ScopeFacts | undefined
  readonly phases: readonly string[]
  readonly closeTimeout: number
  readonly reserve: number
  readonly releaseTimeout: number
  readonly children: ScopeFacts[]
  readonly tasks: TaskFacts[]
  readonly resources: ResourceFacts[]
  readonly deferred: DeferredFacts[]
  readonly openings: OpeningFacts[]
  readonly reports: (ScopeReport | 'rejected')[]
  /** Each call of `close()`, with the deadline it sets. */
  readonly asks: { readonly at: number; readonly deadline: number }[]
  aborted: boolean
  closedAt: number | undefined
  timersFiredAfterClosing: number
}

export interface TaskFacts {
  readonly name: string
  readonly phase: string
  readonly shield: number
  handle: TaskHandle<unknown> | undefined
  cancelSeenAt: number | undefined
  reason: CancelledError | undefined
  endedAt: number | undefined
  /** What the task really did. */
  how: 'returned' | 'cancelled' | 'threw' | undefined
  /** When the task closed its own scope through its context. */
  askedAt: number | undefined
}

export interface ResourceFacts {
  readonly name: string
  readonly phase: string
  readonly cap: number | undefined
  closingCalledAt: number | undefined
  hasHook: boolean
  closeCalls: number
  closeAt: number | undefined
  closedAt: number | undefined
  failedAt: number | undefined
  aborts: number
  abortAt: number | undefined
  forgotten: boolean
}

export interface DeferredFacts {
  readonly name: string
  readonly phase: string
  calls: number
  beganAt: number | undefined
  endedAt: number | undefined
  failed: boolean
  revoked: boolean
}

export interface OpeningFacts {
  readonly name: string
  /** What the caller of open() got. */
  outcome: 'ready' | 'closed' | 'failed' | undefined
  outcomeAt: number | undefined
  resource: ResourceFacts
  /** When the opener returned the resource. */
  readyAt: number | undefined
}

/** A scope and all scopes below it. */
export function everyScope(facts: ScopeFacts, found: ScopeFacts[] = []): ScopeFacts[] {
  found.push(facts)
  for (const child of facts.children) everyScope(child, found)
  return found
}

/** A scope and all scopes above it. */
export function lineage(one: ScopeFacts): ScopeFacts[] {
  return one.parent ? [one, ...lineage(one.parent)] : [one]
}
