import type { CloseReason } from '../session/index.ts'

/** What the agent said, as far as the caller heard it. */
export interface TurnMessage {
  readonly type: 'message'
  readonly text: string
  readonly agent: string | undefined
  /** Whether the agent was interrupted. */
  readonly interrupted: boolean
}

export interface TurnToolCall {
  readonly type: 'toolCall'
  readonly name: string
  /** As parsed by the tool's schema, or as the model wrote it if the tool did not run. */
  readonly input: unknown
  /** The tool's return value, or the error text for the model if it failed. */
  readonly output: unknown
  readonly how: 'running' | 'done' | 'failed'
  readonly mocked: boolean
  readonly agent: string | undefined
}

export interface TurnHandoff {
  readonly type: 'handoff'
  readonly from: string
  readonly to: string
}

/** Telephone keys that the agent pressed. */
export interface TurnKeys {
  readonly type: 'keys'
  readonly keys: string
  readonly agent: string | undefined
  /** Whether the rest of the keys was not pressed. */
  readonly interrupted: boolean
}

/** A guardrail stopped something. */
export interface TurnVerdict {
  readonly type: 'guardrail'
  readonly name: string
  readonly on: 'input' | 'output'
  readonly verdict: string
}

/** A tool call waits for `approves()` or `refuses()`. */
export interface TurnApproval {
  readonly type: 'approval'
  readonly name: string
  readonly input: unknown
}

/** Phone keys that were emitted as an event. */
export interface TurnDigits {
  readonly type: 'digits'
  readonly digits: string
}

export interface TurnFailure {
  readonly type: 'error'
  readonly where: string
  readonly error: unknown
}

/** The session has closed. */
export interface TurnClosed {
  readonly type: 'closed'
  readonly reason: CloseReason
}

/** An event of a turn. */
export type TurnEvent =
  | TurnMessage
  | TurnToolCall
  | TurnHandoff
  | TurnKeys
  | TurnVerdict
  | TurnApproval
  | TurnDigits
  | TurnFailure
  | TurnClosed

/** An event with a stable key, because the event itself changes as more is heard. */
export interface TurnEntry {
  readonly key: string
  readonly event: TurnEvent
  /** Why the event happened, if the rehearsal knows more than the session: replaces the error in a story. */
  readonly why?: string
}
