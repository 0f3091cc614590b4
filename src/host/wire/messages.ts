import type { Change, ErrorCode, ErrorReport, ScopeView } from '../../scope/index.ts'
import type { CloseReason, HistoryItem, SessionReport, SessionState } from '../../session/index.ts'
import type { WrongOutcome } from './outcome.ts'

// What goes over HTTP between a host and whoever watches it. Plain JSON; times are milliseconds.

/** `GET /api/info`. */
export interface HostInfo {
  readonly name: string
  readonly version: string
  /** Faults can be injected in `demo` and `dev`, and do not exist in `production`. */
  readonly mode: 'demo' | 'dev' | 'production'
  /** The agent that answers. */
  readonly agent?: string
  /** What hears, thinks and speaks, by what it does: `{ stt: 'local', llm: 'gpt-5-mini' }`. */
  readonly models?: Readonly<Record<string, string>>
  /** What can be said, if the models understand these sentences only. */
  readonly phrases?: readonly string[]
  /** Samples a second on the line of the page. */
  readonly rate?: number
  /** Path of the socket for calls from the page; without it the page only watches. */
  readonly call?: string
  /** Whether that socket wants a token, made by `POST /api/call-token`. */
  readonly callToken?: boolean
  readonly faults: readonly FaultInfo[]
}

export interface FaultInfo {
  readonly name: string
  readonly about: string
  /** Whether it strikes. */
  readonly on: boolean
}

/** What is at fault when an end was not clean. */
export interface Culprit {
  readonly name: string
  /** The scopes from the session down to it. */
  readonly path: readonly string[]
  readonly kind: 'task' | 'opening' | 'resource' | 'deferred' | 'problem' | 'connection' | 'session'
  readonly outcome: Exclude<WrongOutcome, 'not clean'>
  /** Milliseconds until it had ended, or was given up. */
  readonly took?: number
  readonly error?: ErrorReport
}

/** A session in a line. */
export interface SessionSummary {
  readonly id: string
  readonly agent?: string
  /** Where the caller came from: `browser`, a number. */
  readonly from?: string
  readonly state: SessionState
  /** Milliseconds since 1970. */
  readonly addedAt: number
  readonly closedAt?: number
  readonly turns: number
  readonly errors: number
  /** From here on: once it is closed. */
  readonly reason?: CloseReason
  readonly by?: string
  readonly clean?: boolean
  readonly lived?: number
  readonly took?: number
  readonly closeTimeout?: number
  readonly culprit?: Culprit
}

/** `GET /api/sessions/:id`. */
export interface SessionDetails {
  readonly summary: SessionSummary
  readonly report?: SessionReport
  /** The report as text, for an issue or a chat. */
  readonly text?: string
}

/** `GET /api/events`: all sessions, then each as it changes. */
export type ListMessage =
  | { readonly type: 'sessions'; readonly sessions: readonly SessionSummary[] }
  | { readonly type: 'session'; readonly session: SessionSummary }
  | { readonly type: 'faults'; readonly faults: readonly FaultInfo[] }

/** `GET /api/sessions/:id/events`: a snapshot, then batches, then `closed`, after which the stream ends. */
export type LiveMessage =
  | LiveSnapshot
  | LiveBatch
  | { readonly type: 'closed'; readonly summary: SessionSummary; readonly report: SessionReport }

export interface LiveSnapshot {
  readonly type: 'snapshot'
  /** The time of the session's clock, by which ages and the times of changes are told. */
  readonly now: number
  readonly summary: SessionSummary
  readonly items: readonly HistoryItem[]
  /** The speech that sounds. */
  readonly saying?: Saying
  readonly latencies: readonly number[]
  /** Absent once it is closed. */
  readonly tree?: ScopeView
}

/** What happened since the last batch. */
export interface LiveBatch {
  readonly type: 'batch'
  readonly now: number
  readonly events: readonly LiveEvent[]
  readonly changes: readonly Change[]
  /** What resources say of themselves, where that has changed. */
  readonly statuses: readonly ResourceStatus[]
  /** More of the words on their way. */
  readonly saying?: Saying
}

export interface Saying {
  readonly speech: number
  readonly text: string
}

export interface ResourceStatus {
  readonly id: number
  readonly status: object
}

/** An event of a session as plain JSON. `at` is milliseconds since 1970. */
export type LiveEvent = { readonly at: number } & (
  | { readonly type: 'state'; readonly state: SessionState }
  | { readonly type: 'hearing' | 'user'; readonly text: string }
  | { readonly type: 'speaking'; readonly speech: number; readonly text: string }
  | {
      readonly type: 'spoken'
      readonly speech: number
      readonly text: string
      readonly heard: string
      readonly how: 'played' | 'interrupted' | 'failed'
      readonly confirmed: boolean
    }
  | { readonly type: 'latency'; readonly ms: number }
  | { readonly type: 'tool'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'progress'; readonly id: string; readonly name: string; readonly update: string }
  | {
      readonly type: 'tool-done'
      readonly id: string
      readonly name: string
      readonly output: string
      readonly failed: boolean
    }
  | { readonly type: 'approval'; readonly id: string; readonly name: string }
  | { readonly type: 'handoff'; readonly from: string; readonly to: string }
  | {
      readonly type: 'guardrail'
      readonly name: string
      readonly on: 'input' | 'output'
      readonly verdict: string
    }
  | { readonly type: 'digits'; readonly digits: string }
  | { readonly type: 'warning'; readonly reason: CloseReason; readonly left: number }
  | { readonly type: 'error'; readonly where: string; readonly error: ErrorReport }
)

/** What an endpoint answers when it does not do what it was asked. */
export interface Refusal {
  readonly error: { readonly code: ErrorCode; readonly message: string }
}
