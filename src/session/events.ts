import type { CloseReason, SessionReport } from './report.ts'
import type { PlayoutOutcome, Speech } from './speech.ts'
import type { ToolOutcome } from './tool-runner.ts'

/** What a session tells while it lives. Every listener is isolated; `closed` comes last, always, exactly once (CL1). */
export interface SessionEvents extends Record<string, unknown> {
  /** The line and the models are open. */
  started: { readonly id: string }
  state: { readonly state: SessionState }
  /** What the user seems to be saying; it may still change. */
  hearing: { readonly text: string }
  /** The user has finished a turn. */
  user: { readonly text: string }
  /** The first sound of a speech is on its way. */
  speaking: { readonly speech: Speech }
  /** A speech has ended; its words are what was heard. */
  spoken: { readonly speech: Speech; readonly outcome: PlayoutOutcome }
  /** From the end of the user's speech to the first sound of the answer. */
  latency: { readonly ms: number }
  tool: { readonly id: string; readonly name: string; readonly input: string }
  progress: { readonly id: string; readonly name: string; readonly update: string }
  'tool-done': { readonly id: string; readonly name: string; readonly outcome: ToolOutcome }
  /** A tool waits for `session.approve(id, …)`. */
  approval: { readonly id: string; readonly name: string; readonly input: unknown }
  handoff: { readonly from: string; readonly to: string }
  /** A guardrail stopped something. */
  guardrail: { readonly name: string; readonly on: 'input' | 'output'; readonly verdict: string }
  /** Keys of the telephone. */
  digits: { readonly digits: string }
  /** A cap will end the session soon (CL14). */
  warning: { readonly reason: CloseReason; readonly left: number }
  /** Something failed; the session goes on unless `closed` follows. */
  error: { readonly where: string; readonly error: unknown }
  closed: SessionReport
}

/** The life of a session. `ending` is a graceful end under way: a drain, a goodbye. */
export type SessionState = 'new' | 'live' | 'ending' | 'closing' | 'closed'
