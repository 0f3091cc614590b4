import type { WorkerPhase, WorkerRole } from './supervisor-events.ts'

export interface SupervisorSettings {
  /** Call workers. If they are isolated, those that wait for the next call. */
  readonly workers: number
  /** Every call has a worker of its own, of which there are at most `maxCalls`. Default: workers share the calls. */
  readonly isolated?: { readonly maxCalls: number } | undefined
  /** Whether there is a work worker. */
  readonly work: boolean
  readonly drainTimeout: number
  readonly closeTimeout: number
}

export interface WorkerState {
  readonly name: string
  readonly role: WorkerRole
  /** Of its program: a reload starts the next one. */
  readonly generation: number
  phase: WorkerPhase
  /** When the phase has lasted too long. A ready worker has no such time. */
  due: number | undefined
  calls: number
  /** Set once the worker has reported the end of all its calls. */
  drained: { readonly clean: boolean; readonly written: boolean } | undefined
}

/** Whether a worker takes calls now or soon. */
export const isActive = ({ phase }: WorkerState): boolean => phase === 'starting' || phase === 'ready'
