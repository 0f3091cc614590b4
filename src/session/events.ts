import type { ToolOutcome } from './answering/tool.ts'
import type { CloseReason } from './closing/close-reason.ts'
import type { SessionReport } from './closing/report.ts'
import type { SessionState } from './closing/session-machine.ts'
import type { PlayoutOutcome, Speech } from './speaking/speech.ts'

/** What a session emits. Listeners are isolated from each other; `closed` is emitted last, always, exactly once (CL1). */
export interface SessionEvents {
  /** The line and the models are open. */
  started: { readonly id: string }
  state: { readonly state: SessionState }
  /** What the user seems to be saying. It may still change. */
  hearing: { readonly text: string }
  /** The user has finished a turn. */
  user: { readonly text: string }
  /** The first sound of a speech is on its way. */
  speaking: { readonly speech: Speech }
  /** A speech has ended. `outcome.heard` is what the caller heard of it. */
  spoken: { readonly speech: Speech; readonly outcome: PlayoutOutcome }
  /** From the end of the user's speech to the first sound of the answer, in milliseconds. */
  latency: { readonly ms: number }
  /** The model called a tool. */
  tool: { readonly id: string; readonly name: string; readonly input: string }
  /** A running tool reports its progress. */
  progress: { readonly id: string; readonly name: string; readonly update: string }
  'tool-done': { readonly id: string; readonly name: string; readonly outcome: ToolOutcome }
  /** A tool waits for `session.approve(id, …)`. */
  approval: { readonly id: string; readonly name: string; readonly input: unknown }
  handoff: { readonly from: string; readonly to: string }
  /** A guardrail stopped something. */
  guardrail: { readonly name: string; readonly on: 'input' | 'output'; readonly verdict: string }
  /** An entry of telephone keys. */
  digits: { readonly digits: string }
  /** A cap will end the session soon (CL14). `left` is milliseconds, or the share of the budget that is left. */
  warning: { readonly reason: CloseReason; readonly left: number }
  /** Something failed. The session goes on, unless `closed` follows. */
  error: { readonly where: string; readonly error: unknown }
  closed: SessionReport
}
