import type { CloseReason } from '../session/index.ts'

/** What the agent said, as far as it was heard. */
export interface TurnMessage {
  readonly type: 'message'
  readonly text: string
  readonly agent: string | undefined
  /** The agent wanted to say more. */
  readonly interrupted: boolean
}

export interface TurnToolCall {
  readonly type: 'toolCall'
  readonly name: string
  /** As the tool's schema has read it; as the model wrote it if the tool did not run. */
  readonly input: unknown
  /** What the tool returned; of one that failed, what the model reads about it. */
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

/** A guardrail stopped something. */
export interface TurnVerdict {
  readonly type: 'guardrail'
  readonly name: string
  readonly on: 'input' | 'output'
  readonly verdict: string
}

/** A tool waits for `approves()` or `refuses()`. */
export interface TurnApproval {
  readonly type: 'approval'
  readonly name: string
  readonly input: unknown
}

/** Keys of the telephone that became no words. */
export interface TurnDigits {
  readonly type: 'digits'
  readonly digits: string
}

export interface TurnFailure {
  readonly type: 'error'
  readonly where: string
  readonly error: unknown
}

/** The session has ended. */
export interface TurnClosed {
  readonly type: 'closed'
  readonly reason: CloseReason
}

/** One thing that happened in a turn. */
export type TurnEvent =
  | TurnMessage
  | TurnToolCall
  | TurnHandoff
  | TurnVerdict
  | TurnApproval
  | TurnDigits
  | TurnFailure
  | TurnClosed

/** An event and what it can be recognised by: the record is written again as more is heard. */
export interface TurnEntry {
  readonly key: string
  readonly event: TurnEvent
}
