import type { SessionReport } from '../../session/index.ts'
import type { CodeRun } from './code-run.ts'
import type { HuntCase } from './hunt-case.ts'
import type { UncaughtError } from './hunt-context.ts'

/** A line of the story at which a call can be ended. */
export interface Anchor {
  readonly at: number
  readonly text: string
  readonly nth: number
  /** Whether code of the agent was running. */
  readonly busy: boolean
}

/** A time in which the caller waits for the agent, and hears nothing. */
export interface CallerWait {
  readonly from: number
  /** When the agent spoke. */
  to: number | undefined
  /** Whether it began with a turn of the caller. Otherwise a tool was still running when the agent had spoken. */
  readonly isTurn: boolean
}

/** What was observed in one call. */
export interface CallRecord {
  readonly case: HuntCase
  readonly runs: readonly CodeRun[]
  readonly uncaught: readonly UncaughtError[]
  readonly anchors: readonly Anchor[]
  readonly waits: readonly CallerWait[]
  /** The longest time in which the event loop did not turn, in real milliseconds. */
  readonly longestBlock: number
  /** Scopes that the agent's code has created and not closed, by name. */
  readonly scopes: readonly string[]
  readonly reports: readonly SessionReport[]
  /** When the session began to close. */
  readonly closingAt: number | undefined
  /** Whether the hunt ended the call, rather than the agent. */
  readonly isEndedByHunt: boolean
  /** Why the call could not be played to its end. */
  readonly stuck: string | undefined
  /** The error with which the session did not start. */
  readonly startError: unknown
  /** When the record was made. Code that runs then does not end. */
  readonly endedAt: number
  /** Real milliseconds spent waiting for something real. */
  readonly waited: number
  /** The tools that the model was offered last. */
  readonly tools: readonly string[]
  /** What the model read about the last failure of each tool. */
  readonly toolErrors: ReadonlyMap<string, string>
  /** The agent that had the call last. */
  readonly agent: string
  readonly story: string
  /** Connections, processes and the like that were still open after the call, and the stack that opened them. */
  readonly left: readonly {
    readonly run: CodeRun
    readonly name: string
    readonly stack: string | undefined
  }[]
  /** The stack of what each function waited for that was asked to stop or still runs, if that was recorded. */
  readonly waitsAt: ReadonlyMap<CodeRun, string>
}
