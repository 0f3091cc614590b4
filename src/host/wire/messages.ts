import type { Change, ErrorCode, ErrorReport, ScopeView } from '../../scope/index.ts'
import type {
  CallEnding,
  CloseReason,
  SessionEvents,
  SessionReport,
  SessionState,
  ToolStop,
  TurnLatency,
} from '../../session/index.ts'
import type { TransferOutcome } from '../../parts/index.ts'
import type { LatencyFigures } from './latency-figures.ts'
import type { WrongOutcome } from './outcome.ts'

// The messages of the host's HTTP API. Plain JSON; times are in milliseconds.

/** `GET /api/info`. */
export interface HostInfo {
  readonly name: string
  readonly version: string
  /** Faults can be injected in `demo` and `dev` only. */
  readonly mode: 'demo' | 'dev' | 'production'
  /** The agent that answers. */
  readonly agent?: string
  /** The models by role: `{ stt: 'local', llm: 'gpt-5.4-mini' }`. */
  readonly models?: Readonly<Record<string, string>>
  /** Example sentences, if the models understand only these. */
  readonly phrases?: readonly string[]
  /** The sample rate of the page's line. */
  readonly rate?: number
  /** The path of the call socket. Without it, the page can only watch. */
  readonly call?: string
  /** Where calls over WebRTC are started, if the host takes them. */
  readonly webrtc?: string
  /** Whether the call socket requires a token from `POST /api/call-token`. */
  readonly callToken?: boolean
  /** Whether calls are recorded. */
  readonly records?: boolean
  /** Counts the versions of the agent file since `endwell dev` was started. */
  readonly generation?: number
  readonly faults: readonly FaultInfo[]
}

export interface FaultInfo {
  readonly name: string
  readonly about: string
  /** Whether it is switched on. */
  readonly on: boolean
}

/** Something that kept a close from being clean. */
export interface Culprit {
  readonly name: string
  /** The scopes from the session down to the culprit. */
  readonly path: readonly string[]
  readonly kind: 'task' | 'opening' | 'resource' | 'deferred' | 'problem' | 'connection' | 'session'
  readonly outcome: Exclude<WrongOutcome, 'not clean'>
  /** Milliseconds until it ended or was given up. */
  readonly took?: number
  readonly error?: ErrorReport
}

/** A session in the list. */
export interface SessionSummary {
  readonly id: string
  readonly agent?: string
  /** Where the call came from: `browser`, a phone number. */
  readonly from?: string
  readonly state: SessionState
  /** Milliseconds since 1970. */
  readonly addedAt: number
  readonly closedAt?: number
  readonly turns: number
  readonly errors: number
  /** The first words of the caller; until there are any, of the agent. */
  readonly words?: string
  /** The faults that were on during the call, if any. */
  readonly faults?: readonly string[]
  /** This and all following fields are set once the session is closed. */
  readonly reason?: CloseReason
  readonly ended?: CallEnding
  readonly by?: string
  readonly clean?: boolean
  readonly lived?: number
  readonly took?: number
  readonly closeTimeout?: number
  readonly culprit?: Culprit
  /** How many recordings there are. */
  readonly recordings?: number
  /** The names of the tools that failed. */
  readonly failedTools?: readonly string[]
  /** How long the caller waited for answers. Absent if there were none. */
  readonly latency?: LatencyFigures
  /** Absent without prices. */
  readonly cost?: CallCost
}

/** What a call cost, in total. */
export interface CallCost {
  readonly total: number
  readonly currency?: string
  /** Models whose cost is not known, and not in the total. */
  readonly unpriced?: readonly string[]
}

/** `GET /api/sessions/:id`. */
export interface SessionDetails {
  readonly summary: SessionSummary
  /** What happened, in order. */
  readonly events: readonly LiveEvent[]
  readonly report?: SessionReport
  /** The report as text. */
  readonly text?: string
}

/** `GET /api/events`: all sessions, then each session that changes. */
export type ListMessage =
  | { readonly type: 'sessions'; readonly sessions: readonly SessionSummary[] }
  | { readonly type: 'session'; readonly session: SessionSummary }
  | { readonly type: 'faults'; readonly faults: readonly FaultInfo[] }
  /** Another process takes calls from now on: connect again. */
  | { readonly type: 'moved' }

/** `GET /api/sessions/:id/events`: a snapshot, then batches, then `closed`, after which the stream ends. */
export type LiveMessage =
  | LiveSnapshot
  | LiveBatch
  | { readonly type: 'closed'; readonly summary: SessionSummary; readonly report: SessionReport }

export interface LiveSnapshot {
  readonly type: 'snapshot'
  /** The time of the session's clock, which the times of changes refer to. */
  readonly now: number
  readonly summary: SessionSummary
  /** What has happened, in order. The oldest events of a long call are left out. */
  readonly events: readonly LiveEvent[]
  /** The speech in progress. */
  readonly saying?: Saying
  readonly spent: Spent
  /** Of the answered turns so far. */
  readonly latencies: readonly TurnLatency[]
  /** Absent once the session is closed. */
  readonly tree?: ScopeView
}

/** Everything since the last batch. */
export interface LiveBatch {
  readonly type: 'batch'
  readonly now: number
  readonly events: readonly LiveEvent[]
  readonly changes: readonly Change[]
  /** The statuses that have changed. */
  readonly statuses: readonly ResourceStatus[]
  /** The speech in progress, if its text has changed. */
  readonly saying?: Saying
  /** If it has changed. */
  readonly spent?: Spent
  /** Set once the close was requested. */
  readonly closing?: CloseTimes
}

/** When the close was requested, and by when it must have ended: times of the session's clock. */
export interface CloseTimes {
  readonly askedAt: number
  readonly deadline: number
}

/** What a call has used and cost so far. Without prices, the cost is absent. */
export type Spent = Pick<SessionReport, 'usage' | 'cost'>

export interface Saying {
  /** When it began, in milliseconds since 1970. */
  readonly at: number
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
      /** The agent that spoke, if it is known. Default: the one that took over last. */
      readonly agent?: string
    }
  | {
      readonly type: 'pressed'
      readonly keys: string
      readonly how: 'played' | 'interrupted' | 'failed'
      readonly confirmed: boolean
    }
  | ({ readonly type: 'latency'; readonly speech: number } & TurnLatency)
  | { readonly type: 'tool'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'progress'; readonly id: string; readonly name: string; readonly update: string }
  | {
      readonly type: 'tool-done'
      readonly id: string
      readonly name: string
      readonly output: string
      readonly failed: boolean
      readonly stopped?: ToolStop
    }
  /** A tool call is waiting for `POST /api/sessions/:id/approve`. */
  | { readonly type: 'approval'; readonly id: string; readonly name: string }
  | { readonly type: 'approved'; readonly id: string; readonly approved: boolean }
  | {
      readonly type: 'transfer'
      readonly to: string
      readonly outcome?: TransferOutcome
      readonly why?: string
    }
  | { readonly type: 'hold'; readonly held: boolean }
  /** Who answered a call that was made. `late`: the carrier says so, after that was decided. */
  | {
      readonly type: 'answered'
      readonly by: SessionEvents['answered']['by']
      readonly how: string
      readonly late: boolean
    }
  /** The connection to the caller broke, or came back. */
  | { readonly type: 'line'; readonly connected: boolean }
  /** A fault was switched on or off, or was on when the call began. */
  | { readonly type: 'fault'; readonly name: string; readonly on: boolean }
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

/** The body of an error response. */
export interface Refusal {
  readonly error: { readonly code: ErrorCode; readonly message: string }
}
