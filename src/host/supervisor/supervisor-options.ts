import type { Clock } from '../../scope/index.ts'
import type { Block } from './messages.ts'
import type { ReplaceReason, WorkerRole } from './supervisor-events.ts'
import type { WorkerProgram } from './worker-process.ts'

/** What the supervisor needs of the journal. */
export interface SupervisorJournal {
  /** Takes its live calls, or its claimed work, from a worker that is gone. Resolves to their number. Repeated if it fails. */
  orphan(worker: string, role: WorkerRole): Promise<number>
  /** The host ends. */
  leave(): Promise<void>
}

/** What happens to the workers, for logs and metrics. A listener must not throw. */
export interface SupervisorListener {
  started?(worker: string, role: WorkerRole, pid: number | undefined): void
  ready?(worker: string, address: string | undefined): void
  exited?(worker: string, code: number | null, signal: NodeJS.Signals | null): void
  replaced?(worker: string, role: WorkerRole, why: ReplaceReason): void
  /** Replacements wait, because workers die young. */
  paused?(role: WorkerRole, pause: number, deaths: number): void
  /** An event loop was blocked. */
  blocked?(worker: string, block: Block): void
  /** A worker sent something that is not a message. It is ignored. */
  misbehaved?(worker: string): void
  /** A worker could not load the program of a reload. */
  notLoaded?(worker: string): void
  /** Whether new calls can be taken has changed. */
  readiness?(ready: boolean): void
  /** A worker printed a line. */
  line?(worker: string, stream: 'stdout' | 'stderr', line: string): void
}

export interface SupervisorOptions {
  /** What a call worker runs. */
  readonly calls: WorkerProgram
  /** What the work worker runs. Without it, there is none. */
  readonly work?: WorkerProgram
  /** Call workers. If they are isolated, those that wait for the next call. Default: 1. */
  readonly workers?: number
  /** Calls at once, per worker. Connections go to workers with room. Default: any number. */
  readonly callsPerWorker?: number
  /** Every call has a worker of its own, of which there are at most `maxCalls`. Default: workers share the calls. */
  readonly isolated?: { readonly maxCalls: number }
  /** The public port, whose connections the call workers get. Without it, there is none. */
  readonly listen?: { readonly port: number; readonly host: string }
  /** In MB. A worker above it is drained and replaced. Default: none. */
  readonly memoryLimit?: number
  /** For calls to finish before they are closed. Default: 10 minutes. */
  readonly drainTimeout?: number
  /** For calls to close. Default: 5 s. */
  readonly closeTimeout?: number
  readonly journal: SupervisorJournal
  /** Does what workers request with `WorkerLink.request`. */
  readonly request?: (worker: string, body: unknown) => unknown
  readonly listener?: SupervisorListener
  readonly clock?: Clock
}

/** A worker, as others see it. */
export interface WorkerView {
  readonly name: string
  readonly role: WorkerRole
  readonly phase: string
  readonly calls: number
  readonly pid: number | undefined
  readonly address: string | undefined
}
