import type { TimerCommand, TimerEvent } from '../../scope/index.ts'

/** A call worker takes calls. The work worker runs what is to be done after them. */
export type WorkerRole = 'calls' | 'work'

/** `draining`: takes no new calls, and exits after its last. `closing`: closes its calls now. `dying`: was killed. */
export type WorkerPhase = 'starting' | 'ready' | 'draining' | 'closing' | 'dying'

/** Why a worker is replaced. */
export type ReplaceReason = 'exited' | 'cut' | 'stuck' | 'memory' | 'start-timeout'

/** `draining`: calls finish. `closing`: they are closed now. `killing`: all workers were killed. */
export type SupervisorPhase = 'new' | 'running' | 'draining' | 'closing' | 'killing' | 'ended'

export type SupervisorTimer = 'next'

export type SupervisorEvent = { readonly at: number } & (
  | { readonly type: 'start' }
  | WorkerEvent
  /** The journal has taken the calls of a dead worker from it. `lost`: how many there were. */
  | { readonly type: 'orphaned'; readonly worker: string; readonly lost: number }
  /** SIGTERM or SIGINT. The second hurries, the third kills. */
  | { readonly type: 'signal' }
  /** An operator's order to drain. Repeating it changes nothing. */
  | { readonly type: 'drain' }
  /** How many calls wait for a worker now. */
  | { readonly type: 'waiting'; readonly count: number }
  /** Call workers that are started from now on have another program. */
  | { readonly type: 'reload' }
  | TimerEvent<SupervisorTimer>
)

/** Something that a worker did, or that happened to it. */
export type WorkerEvent = { readonly worker: string } & (
  | /** The worker takes calls, or work. */
    { readonly type: 'ready' }
  /** How many calls the worker has now. */
  | { readonly type: 'calls'; readonly count: number }
  /**
   * The event loop of the worker was blocked. `cut`: the culprit was stopped, and whatever was queued behind it is lost.
   * `stuck`: the culprit cannot be stopped.
   */
  | { readonly type: 'blocked'; readonly how: 'cut' | 'stuck' }
  | { readonly type: 'over-memory' }
  /** All calls of the worker have ended. `clean`: each closed cleanly. `written`: every report was written, or spooled. */
  | { readonly type: 'drained'; readonly clean: boolean; readonly written: boolean }
  | { readonly type: 'exited' }
)

export type SupervisorCommand =
  | TimerCommand<SupervisorTimer>
  | { readonly type: 'spawn'; readonly worker: string; readonly role: WorkerRole }
  /** Take no new calls, and exit after the last one. `close` follows after `within` at the latest. */
  | { readonly type: 'drain'; readonly worker: string; readonly within: number }
  /** Close all calls within this time, and exit. */
  | { readonly type: 'close'; readonly worker: string; readonly within: number }
  | { readonly type: 'kill'; readonly worker: string }
  /** The calls, or the work, of this worker have lost their process. Answer with `orphaned`. */
  | { readonly type: 'orphan'; readonly worker: string; readonly role: WorkerRole }
  /** For logs and metrics: this worker no longer counts, and another takes its place. */
  | {
      readonly type: 'replace'
      readonly worker: string
      readonly role: WorkerRole
      readonly why: ReplaceReason
    }
  /** For logs: replacements have to wait for this many milliseconds, because workers die young. */
  | { readonly type: 'pause'; readonly role: WorkerRole; readonly pause: number; readonly deaths: number }
  /** For logs: this worker could not load the program of a reload. Those of an earlier one go on. */
  | { readonly type: 'not-loaded'; readonly worker: string }
  /** Whether new calls can be taken. */
  | { readonly type: 'readiness'; readonly ready: boolean }
  | { readonly type: 'exit'; readonly code: number }
