import { exitCodes } from '../exit-codes.ts'
import type { SupervisorPhase, SupervisorTimer } from './supervisor-events.ts'
import type { WorkerState } from './worker-state.ts'

/** What a `SupervisorMachine` remembers. */
export interface SupervisorState {
  now: number
  timers: Partial<Record<SupervisorTimer, number | undefined>>
  phase: SupervisorPhase
  ready: boolean
  signals: number
  /** Names count up and are never used again: the journal knows a worker by its name. */
  spawned: number
  /** In order of their start. */
  readonly workers: Map<string, WorkerState>
  /** Calls that wait for a worker. */
  waiting: number
  /** Dead workers whose calls the journal has not taken from them yet, and whether they reported that all had been written. */
  readonly orphaning: Map<string, boolean>
  /** Until when to wait for the journal, once all workers have ended. */
  orphanBy: number | undefined
  unclean: boolean
  unwritten: boolean
  hopeless: boolean
  /** Counts the programs that call workers have had. */
  generation: number
  /** The last of them that could not be loaded, while workers of an earlier one went on. */
  failed: number
}

export function newSupervisorState(): SupervisorState {
  return {
    now: 0,
    timers: {},
    phase: 'new',
    ready: false,
    signals: 0,
    spawned: 0,
    workers: new Map(),
    waiting: 0,
    orphaning: new Map(),
    orphanBy: undefined,
    unclean: false,
    unwritten: false,
    hopeless: false,
    generation: 1,
    failed: 0,
  }
}

/** The code with which a supervisor ends. */
export function exitCodeOf({ hopeless, phase, unwritten, unclean }: SupervisorState): number {
  if (hopeless) return exitCodes.hopeless
  if (phase === 'killing') return exitCodes.killed
  if (unwritten) return exitCodes.unwritten
  return unclean ? exitCodes.unclean : exitCodes.clean
}
