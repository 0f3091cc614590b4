import { systemClock, type Clock } from './clock.ts'
import { OptionError } from './errors.ts'
import type { Late, Problem } from './report.ts'
import type { TaskContextOf } from './task-context.ts'
import { checkOptions, type OptionNames } from './check-options.ts'

/** The default phases of a scope: first the work, then the resources that the work uses. */
export const defaultPhases = ['tasks', 'resources'] as const
export type DefaultPhase = (typeof defaultPhases)[number]

/** How a scope ends. A child inherits what it does not set, except the phases. */
export interface ScopeOptions<Phase extends string = DefaultPhase> {
  /** Milliseconds from the first close request to the report. Default: 5 s. */
  closeTimeout?: number
  /** The last part of `closeTimeout`, for aborting what is left and making the report. Default: 250 ms; at most a tenth. */
  reserve?: number
  /** How long running tasks may delay the later phases. Default: 1 s. */
  taskCap?: number
  /** How long deferred work may continue in the background after the report. Default: 10 s. */
  releaseTimeout?: number
  /** The order in which owned things end. By default, tasks are in the first phase and resources in the last. */
  phases?: readonly Phase[]
  clock?: Clock
  /** Called exactly once for each outcome and each error that comes after the report. */
  onLate?: (late: Late) => void
  /** Called for each error that no caller could receive. The report lists it, too. */
  onProblem?: (problem: Problem, error: unknown) => void
  /** Replaces functions that the scope is about to run. Meant for fault injection. */
  intercept?: Intercept
}

const scopeNames: OptionNames<ScopeOptions & { phase?: unknown }> = {
  phase: true,
  closeTimeout: true,
  reserve: true,
  taskCap: true,
  releaseTimeout: true,
  phases: true,
  clock: true,
  onLate: true,
  onProblem: true,
  intercept: true,
}

/** What is about to run: a task, an opener, a resource's `close`, or deferred work. */
export interface Intercepted {
  readonly kind: 'task' | 'open' | 'close' | 'deferred'
  readonly name: string
  readonly scope: string
}

/** Returns the function to run: `run` itself or a replacement. */
export type Intercept = <Input extends TaskContextOf<never> | AbortSignal>(
  at: Intercepted,
  run: (input: Input) => unknown,
) => (input: Input) => unknown

export interface Settings {
  readonly closeTimeout: number
  readonly reserve: number
  readonly taskCap: number
  readonly releaseTimeout: number
  readonly phases: readonly string[]
  readonly clock: Clock
  readonly onLate: ((late: Late) => void) | undefined
  readonly onProblem: ((problem: Problem, error: unknown) => void) | undefined
  readonly intercept: Intercept | undefined
}

const defaults: Settings = {
  closeTimeout: 5_000,
  reserve: 250,
  taskCap: 1_000,
  releaseTimeout: 10_000,
  phases: defaultPhases,
  clock: systemClock,
  onLate: undefined,
  onProblem: undefined,
  intercept: undefined,
}

/** Fills in what `options` leaves out: from the parent, or from the defaults. */
export function settingsFrom(
  options: ScopeOptions<string> | undefined,
  parent: Settings = defaults,
): Settings {
  if (!options) return parent.phases === defaultPhases ? parent : { ...parent, phases: defaultPhases }
  checkOptions('Scope', options, scopeNames)
  const settings = {
    closeTimeout: options.closeTimeout ?? parent.closeTimeout,
    reserve: options.reserve ?? parent.reserve,
    taskCap: options.taskCap ?? parent.taskCap,
    releaseTimeout: options.releaseTimeout ?? parent.releaseTimeout,
    phases: options.phases ?? defaultPhases,
    clock: options.clock ?? parent.clock,
    onLate: options.onLate ?? parent.onLate,
    onProblem: options.onProblem ?? parent.onProblem,
    intercept: options.intercept ?? parent.intercept,
  }
  duration('closeTimeout', settings.closeTimeout)
  duration('reserve', settings.reserve)
  duration('taskCap', settings.taskCap)
  duration('releaseTimeout', settings.releaseTimeout)
  if (settings.phases.length === 0) throw new OptionError('phases must name at least one phase')
  return settings
}

/** Returns `value` if it is a finite number of milliseconds, 0 or more. Throws `OptionError` otherwise. */
export function duration(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value
  throw new OptionError(`${name} must be a finite number of milliseconds, 0 or more; it is ${value}`)
}
