import type { Logger } from '../../parts/index.ts'
import type { Clock } from '../../scope/index.ts'
import type { Models, Session, SessionReport } from '../../session/index.ts'
import type { CallRecord } from '../journal/journal.ts'

// No types of OpenTelemetry here: these are public, and applications that do not trace have not installed it.

export interface TracesOptions {
  /**
   * Whether spans contain what was said, what tools were given and returned, and the text of errors. Default: false.
   * The instructions of agents are never part of a trace (FA8).
   */
  readonly content?: boolean
  readonly logger?: Logger
  readonly clock?: Clock
  /** Loads the API. Default: the installed package `@opentelemetry/api`. */
  readonly load?: () => Promise<unknown>
}

export interface TracedCall {
  readonly id: string
  /** The line it came in on: `phone`, `browser`. */
  readonly line: string
  readonly agent?: string
  /** The `traceparent` of the request that began the call, or of the process that had it before. */
  readonly parent?: string | undefined
}

/** The spans of one call. */
export interface CallTrace {
  /** The `traceparent` of the call's span: for the journal, the report and webhooks. Undefined if there is no trace. */
  readonly traceparent: string | undefined
  /** The models, with a span for each of their requests. Pass them to the session. */
  models(models: Models): Models
  /** Records the turns, tools and the close of the session, and ends the call's span when the session has closed. */
  follow(session: Session): void
  /** Ends the call's span, for a call that never got a session. */
  failed(error: unknown): void
}

export interface Traces {
  call(call: TracedCall): CallTrace
  /** Emits the span of a call that another process has closed, in the trace of that call. */
  lost(call: Pick<CallRecord, 'id' | 'line' | 'agent' | 'trace'>, report: SessionReport): void
}
