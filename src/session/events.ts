import type { TranscriptDetails, TransferOutcome } from '../parts/index.ts'
import type { ToolOutcome } from './answering/tool.ts'
import type { CloseReason } from './closing/close-reason.ts'
import type { SessionReport } from './closing/report.ts'
import type { SessionState } from './closing/session-events.ts'
import type { UserState } from './hearing/turn-events.ts'
import type { TurnLatency } from './turn-timing.ts'
import type { Answered } from './pickup/answered.ts'
import type { PlayoutOutcome, PressOutcome, Speech } from './speaking/speech.ts'

/** The events of a session. Listeners are isolated from each other; `closed` is always emitted last, exactly once (CL1). */
export interface SessionEvents {
  /** The line and the models are open. */
  started: { readonly id: string }
  state: { readonly state: SessionState }
  /** What the user does has changed. `finishing`: the user is silent, but the turn has not ended. */
  'user-state': { readonly state: UserState }
  /** Interim transcript of what the user is saying. It may still change. */
  hearing: { readonly text: string }
  /** The next words of the user are final. They may not be the whole turn. */
  transcribed: { readonly text: string } & TranscriptDetails
  /** The user has finished a turn. */
  user: { readonly text: string }
  /** The agent begins to work on a reply, or has finished it, tools included. */
  thinking: { readonly thinking: boolean }
  /** The next words of a speech, which the caller has not heard yet. `last`: there are no more after these. */
  words: {
    readonly speech: Speech
    readonly text: string
    readonly by: TurnLatency['by']
    readonly last: boolean
  }
  /** The first sound of a speech was sent to the line. */
  speaking: { readonly speech: Speech }
  /** A speech has ended. `outcome.heard` is what the caller heard of it. */
  spoken: { readonly speech: Speech; readonly outcome: PlayoutOutcome }
  /** The agent pressed telephone keys, or some of them. */
  pressed: { readonly outcome: PressOutcome }
  /**
   * How long the caller waited for an answer, and for what. Emitted once per answered turn: when the line has confirmed the
   * first sound, at the latest when the speech has ended.
   */
  latency: TurnLatency & { readonly speech: Speech }
  /** The model called a tool. `inPage`: it runs in the caller's program. */
  tool: { readonly id: string; readonly name: string; readonly input: string; readonly inPage?: true }
  /** A running tool reported progress. */
  progress: { readonly id: string; readonly name: string; readonly update: string }
  'tool-done': { readonly id: string; readonly name: string; readonly outcome: ToolOutcome }
  /** A tool call is waiting for `session.approve(id, …)`. */
  approval: { readonly id: string; readonly name: string; readonly input: unknown }
  handoff: { readonly from: string; readonly to: string }
  /** The caller is on hold, or no longer. During a transfer, too. */
  hold: { readonly held: boolean }
  /** A person is rung to take over the caller; with an outcome once that is known. */
  transfer: { readonly to: string; readonly outcome?: TransferOutcome; readonly why?: string }
  /** Who answered the call (MD1). `late`: the carrier says so after `answeredBy()` had found out by itself. */
  answered: Pick<Answered, 'by' | 'how' | 'kind'> & { readonly late: boolean }
  /** A guardrail objected to what the user or the agent said. */
  guardrail: { readonly name: string; readonly on: 'input' | 'output'; readonly verdict: string }
  /** The connection to the caller broke and may come back, or has come back. */
  line: { readonly connected: boolean }
  /** The caller entered digits on the telephone keypad. */
  digits: { readonly digits: string }
  /** A cap will end the session soon (CL14). `left` is in milliseconds or, for the budget, the share that is left. */
  warning: { readonly reason: CloseReason; readonly left: number }
  /** Something failed. The session goes on, unless `closed` follows. */
  error: { readonly where: string; readonly error: unknown }
  closed: SessionReport
}
