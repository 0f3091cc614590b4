export { Burst } from './burst.ts'
export { CancelToken, type CancelListener } from './cancel.ts'
export { Channel } from './channel.ts'
export { checkOptions, optionProblem, type OptionNames } from './check-options.ts'
export { clip } from './clip.ts'
export { systemClock, type Clock, type Timer } from './clock.ts'
export { Deadline } from './deadline.ts'
export { describeError } from './describe-error.ts'
export { didYouMean } from './did-you-mean.ts'
export { callOut, once, pushTo, shelter } from './edge.ts'
export type { ErrorCode } from './error-codes.ts'
export {
  CancelledError,
  EndwellError,
  LimitError,
  NotAResourceError,
  OptionError,
  ScopeClosedError,
} from './errors.ts'
export type { Inspection, OwnedView, ScopeView } from './inspect.ts'
export { iterate, type IterateOptions } from './iterate.ts'
export { limits } from './limits.ts'
export {
  MachineShell,
  advance,
  changeTimer,
  changeTimers,
  type Machine,
  type TimedState,
  type TimerCommand,
  type TimerEvent,
  type Timers,
  type Untimed,
} from './machine-shell.ts'
export { pause } from './pause.ts'
export type { DialRequest, Network, Socket, SocketEnd, SocketEvents } from './network.ts'
export { noop } from './noop.ts'
export { systemRandom, type Random } from './random.ts'
export { Registry, creationStacks, origin, type Live } from './registry.ts'
export type {
  Ask,
  ChildReport,
  ErrorReport,
  Late,
  Problem,
  ScopeReport,
  StepOutcome,
  StepReport,
  TaskOutcome,
  TaskReport,
} from './report.ts'
export type { Endings, Resource } from './resource.ts'
export {
  Scope,
  liveScopes,
  type ChildOptions,
  type OwnOptions,
  type SpawnOptions,
  type TaskContext,
} from './scope.ts'
export {
  duration,
  type DefaultPhase,
  type Intercept,
  type Intercepted,
  type ScopeOptions,
} from './settings.ts'
export { SignalStop, type Stop } from './stop.ts'
export { TimeLimit } from './time-limit.ts'
export type { TaskHandle } from './task.ts'
export type { CloseOptions } from './task-context.ts'
export type { Change, EndOutcome } from './watchers.ts'
