import { systemClock, type Clock } from './clock.ts'
import { OptionError } from './errors.ts'
import type { Late, Problem } from './report.ts'
import type { TaskContext } from './task.ts'

/** The phases of a scope that names none: work first, then what the work stood on. */
export const defaultPhases = ['tasks', 'resources'] as const
export type DefaultPhase = (typeof defaultPhases)[number]

/** How a scope ends. A child inherits what it does not set, except the phases. */
export interface ScopeOptions<Phase extends string = DefaultPhase> {
  /** From the first ask to the report: 5 s unless set. */
  closeTimeout?: number
  /** The last part of that time, kept for aborting what is left and making the report: 250 ms, a tenth at most. */
  reserve?: number
  /** How long running tasks may hold the later phases back: 1 s unless set. */
  taskCap?: number
  /** How long deferred work may go on in the background after the report: 10 s unless set. */
  releaseTimeout?: number
  /** The order in which owned things are ended. Tasks go into the first, resources into the last, unless told. */
  phases?: readonly Phase[]
  clock?: Clock
  /** Called for each outcome that comes after the report, exactly once. */
  onLate?: (late: Late) => void
  /** Called for each error that nobody else could receive. It is in the report too. */
  onProblem?: (problem: Problem, error: unknown) => void
  /** Stands between the scope and each function it is about to run; made for fault injection. */
  intercept?: Intercept
}

/** What is about to run: a task, an opener, a resource's `close`, or deferred work. */
export interface Intercepted {
  readonly kind: 'task' | 'open' | 'close' | 'deferred'
  readonly name: string
  readonly scope: string
}

/** May replace the function that is about to run. */
export type Intercept = <Input extends TaskContext | AbortSignal>(
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

/** What the options say, else what the parent has, else the defaults. */
export function settle(options: ScopeOptions<string> | undefined, parent: Settings = defaults): Settings {
  if (!options) return parent.phases === defaultPhases ? parent : { ...parent, phases: defaultPhases }
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

/** Every time is bounded: an endless one is a mistake, and so is one that is not a number. */
export function duration(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value
  throw new OptionError(`${name} must be a finite number of milliseconds, 0 or more; it is ${value}`)
}
