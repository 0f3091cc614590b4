import type { AudioFormat, AudioFrame } from '../audio/index.ts'
import type { PartContext } from './part.ts'

/** A connection to the caller: a browser, a phone call. */
export interface Line {
  readonly name: string
  /** The format of the caller's audio. */
  readonly hears: AudioFormat
  /** The format in which the caller gets audio. May differ from `hears`. */
  readonly speaks: AudioFormat
  /** Called with the session before `open`, for lines that show the conversation to the caller: words, tools, latencies. */
  attach?(session: object): void
  /**
   * Answers the call. The connection belongs to the scope, and closing the scope hangs up: the resource's `closing()`
   * mutes it at once, `close()` ends the call by the line's protocol, and `abort()` cuts it.
   */
  open(context: PartContext, events: LineEvents): Promise<LineConnection>
}

/** Callbacks of a line, called synchronously and in order. None is called after `hungUp`, `lost` or `handedOver`. */
export interface LineEvents {
  /** The caller's audio. */
  frame(frame: AudioFrame): void
  /**
   * The caller has heard everything that was played before `mark(id)`, or, after `clear()`, it has stopped. `heard` is how
   * much of the audio since the previous mark reached the caller, in milliseconds; absent if the line cannot know. `assumed`:
   * nothing at the caller's end reports playout, and the line infers all of this from the time. Default: false.
   */
  marked(id: number, heard?: number, assumed?: boolean): void
  /** The caller pressed a phone key: 0–9, *, #, A–D. */
  dtmf(digit: string): void
  /** The caller typed instead of speaking. */
  text(text: string): void
  /** The connection to the caller broke, and the line waits for the caller to come back. */
  away?(): void
  /** The caller is back. */
  back?(): void
  /** The caller hung up. */
  hungUp(): void
  /** The connection to the caller broke without a hang-up. */
  lost(error?: unknown): void
  /** Somebody else has taken the call over: it goes on, without this line. */
  handedOver(): void
}

export interface LineConnection {
  /** Queues audio of the sample rate of `speaks` for playout. Never waits and never throws. */
  play(frame: AudioFrame): void
  /** Requests a `marked(id)` callback once everything queued so far has been heard. */
  mark(id: number): void
  /**
   * Discards the queue, synchronously. A line whose audio continues for a while, such as an avatar, reports the pending
   * marks only when the audio has really stopped.
   */
  clear(): void
  /**
   * Presses telephone keys by means of the carrier, if the line can. Resolves when they have been pressed. The keys are `0` to
   * `9`, `*`, `#`, `A` to `D`, and the pauses `w` (0.5 s) and `W` (1 s). Called only while the agent is silent. Lines without
   * it get the keys as tones through `play()`.
   */
  press?(keys: string): Promise<void>
  /**
   * Connects the caller to somebody else. Resolves once the outcome is known: `answered` if the call goes on without this
   * line; otherwise the caller is back, unless the call has ended. Rejects if the line cannot do it. Lines without this
   * method cannot transfer calls.
   */
  transfer?(request: TransferRequest): Promise<TransferResult>
  /** Has the carrier record the call. Resolves to whether it has confirmed the change. Lines without it cannot record calls. */
  record?(change: RecordingChange): Promise<boolean>
  /** Sends a message, any JSON, to the program at the caller's end. Never throws. Lines without it reach no such program. */
  sendMessage?(message: unknown): void
  /**
   * Has the program at the caller's end run a tool. Resolves to its result, which is any JSON. When `signal` aborts, nothing waits
   * for the result any more. Lines without it reach no such program.
   */
  runTool?(call: LineToolCall, signal: AbortSignal): Promise<unknown>
  /** Whether `transfer` takes requests with `consult`. Default: false. */
  readonly consults?: boolean
  /**
   * Calls the listener when the carrier says who answered a call out, at once if it has said so already. Called at most once per
   * call. Lines without this method do not know.
   */
  onVerdict?(listener: (verdict: AnswerVerdict) => void): void
}

/** A call of a tool that runs at the caller's end of the line. */
export interface LineToolCall {
  readonly id: string
  readonly name: string
  /** Checked by the schema of the tool. */
  readonly input: unknown
}

/** Who answered a call out, in the carrier's opinion. */
export interface AnswerVerdict {
  readonly by: 'person' | 'machine' | 'fax' | 'unknown'
  /** Set if the greeting of a machine has ended, with a beep or without. */
  readonly ended?: 'beep' | 'silence'
}

/** What happens to the recording of a call at its carrier. */
export type RecordingChange = 'start' | 'pause' | 'resume' | 'stop'

export interface TransferRequest {
  /** A phone number like `+4930123456`, or an address like `sip:desk@example.com`. */
  readonly to: string
  /** The number to show to the person who is called. Default: the carrier's choice, usually the caller's number. */
  readonly from?: string | undefined
  /** How long it may ring, in milliseconds. */
  readonly ringTimeout: number
  /**
   * Talks to the person who has answered, on a line of its own, while the caller stays on this one. On `join`, the line connects the
   * two, in an order that leaves nobody alone; otherwise it ends the call to the person. It rejects if the conversation failed.
   */
  readonly consult?: ((line: Line) => Promise<'join' | 'decline'>) | undefined
  /** With `consult`: whether to ask for machines. `hang-up`: a machine is not talked to, and the outcome is `machine`. */
  readonly machines?: 'talk' | 'hang-up' | undefined
}

/** What became of a transfer. */
export interface TransferResult {
  readonly outcome: TransferOutcome
  /** Why it failed, as far as the line knows. Contains no secrets. */
  readonly why?: string | undefined
}

/**
 * How a transfer ended. `declined`: the person did not want the call, or hung up before the caller was connected. `caller-gone`:
 * the caller hung up meanwhile. `unknown`: the call went on without us, and the carrier never said whether anybody answered.
 */
export type TransferOutcome =
  | 'answered'
  | 'busy'
  | 'no-answer'
  | 'rejected'
  | 'declined'
  | 'machine'
  | 'failed'
  | 'caller-gone'
  | 'unknown'
