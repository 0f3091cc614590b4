import type { TimedState } from '../../scope/index.ts'
import type { ClaimedWork, WorkOutcome } from '../journal/journal.ts'
import type { CancelCause, WorkCommand, WorkSettings, WorkTimer } from './work-events.ts'

/** One attempt at a piece of work, from its claim until its outcome is written or its claim is lost. */
export interface Attempt {
  readonly id: number
  readonly work: ClaimedWork
  /** The fence of the latest claim. */
  fence: number
  /** When a failure becomes final, by the machine's clock. */
  readonly giveUpAt: number
  stage: Running | Cancelled | Settling
}

interface Running {
  readonly is: 'running'
  /** When the time of the handler is up. */
  readonly until: number
}

interface Cancelled {
  readonly is: 'cancelled'
  readonly cause: CancelCause
  /** When the handler is abandoned. */
  readonly until: number
}

/** The handler has ended or was abandoned, and the journal does not have the outcome yet. */
export interface Settling {
  readonly is: 'settling'
  readonly outcome: WorkOutcome
  /** The fence that was sent, while an answer is awaited. */
  sent: number | undefined
  failures: number
  retryAt: number
}

export interface WorkMachineState extends TimedState<WorkTimer> {
  readonly attempts: Map<number, Attempt>
  /** Attempts whose handler ignored its cancellation and still runs. */
  readonly abandoned: Set<number>
  lastAttempt: number
  /** When to claim next. The past means: as soon as there is room. */
  claimAt: number
  claimFailures: number
  /** How many were asked for, while an answer is awaited. */
  claiming: number | undefined
  /** Set by a wake while a claim is under way, which may have missed that work. */
  woken: boolean
  /** Undefined while nothing is claimed. */
  renewAt: number | undefined
  renewFailures: number
  /** The attempts whose claims are being renewed, with the fences that were sent. */
  renewing: ReadonlyMap<number, number> | undefined
  closing: 'no' | 'finishing' | 'hurrying' | 'releasing' | 'stopped'
}

export const newState = (): WorkMachineState => ({
  now: 0,
  timers: {},
  attempts: new Map(),
  abandoned: new Set(),
  lastAttempt: 0,
  claimAt: Number.POSITIVE_INFINITY,
  claimFailures: 0,
  claiming: undefined,
  woken: false,
  renewAt: undefined,
  renewFailures: 0,
  renewing: undefined,
  closing: 'no',
})

/** One event being handled. */
export interface WorkStep {
  readonly state: WorkMachineState
  readonly settings: WorkSettings
  readonly jitter: number
  readonly emit: (command: WorkCommand) => void
}
