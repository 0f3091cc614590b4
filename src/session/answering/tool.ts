import type {
  PartContext,
  RecordingChange,
  ToolDescription,
  TransferOutcome,
  VendorData,
} from '../../parts/index.ts'
import { OptionError, checkOptions, type Endings, type OptionNames } from '../../scope/index.ts'
import type {
  CloseSessionOptions,
  HangUpOptions,
  HangUpOutcome,
  Hold,
  HoldOptions,
  TransferOptions,
} from '../closing/asks.ts'
import type { SessionReport } from '../closing/report.ts'
import type { ToolStop } from '../history/history-item.ts'
import type { History } from '../history/history.ts'
import type { Answered, AnsweredByOptions, LeaveMessageOptions, MessageOutcome } from '../pickup/answered.ts'
import type { PressOutcome, Speech } from '../speaking/speech.ts'
import { jsonSchemaOf, type OutputOf, type StandardSchema } from './schema.ts'

/** What became of the words before a tool (SP4). `stopped` is false if the caller may still hear an interrupted speech. */
export interface ToolPlayout {
  readonly how: 'played' | 'interrupted' | 'failed' | 'nothing'
  readonly stopped: boolean
}

/** The part of an `AgentTask` that tools need. */
export interface NestedTask<Result> {
  readonly name: string
  agent(done: (result: Result) => void): object
}

/** A call as the model made it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. It may be invalid. */
  readonly input: string
  /** What the vendor attached to the call, for its model only. */
  readonly vendor?: VendorData
}

/** The outcome of a call: its one output in the history (TL2). */
export interface ToolOutcome {
  readonly output: string
  readonly failed: boolean
  /** Why the tool did not run to its end, if nothing went wrong: the call was cancelled, or was not approved. */
  readonly stopped?: ToolStop
  /** What the tool returned. Needed if that is more than text, such as an agent to hand over to. */
  readonly value?: unknown
  /** Why it failed. */
  readonly error?: unknown
}

/** What a tool receives besides its input. The functions may be destructured. */
export interface ToolContext {
  /** The id of this call, in the history and in all events. */
  readonly id: string
  readonly name: string
  /** Aborts when the call is cancelled: by closing, by its timeout, or by an interruption with `onInterrupt: 'cancel'`. */
  readonly signal: AbortSignal
  /** Resolves when the words before the tool have been heard, or the caller interrupts them (SP4). Never rejects. */
  readonly waitForPlayout: () => Promise<ToolPlayout>
  /** Says something while the tool runs. */
  readonly say: (text: string) => Speech
  /** Presses telephone keys after the words before the tool (KY1). Rejects if they are not keys. */
  readonly press: (keys: string) => Promise<PressOutcome>
  /** What was said and done so far. */
  readonly history: History
  /** Sets what the model reads if the call is cancelled from now on. Default: that it was cancelled. */
  readonly ifCancelled: (output: string) => void
  /** Emits a `progress` event. */
  readonly progress: (update: string) => void
  /** Lets a nested agent talk to the caller until it has its result (AG5). */
  readonly run: <Result>(task: NestedTask<Result>) => Promise<Result>
  /**
   * Ties a resource, such as a socket or a child process, to the call: it is closed when the tool returns, and aborted if
   * it does not close in time. Returns the resource.
   *
   * ```ts
   * const feed = own('feed', connect(url), { close: (socket) => socket.end(), abort: (socket) => socket.destroy() })
   * ```
   */
  readonly own: <T extends object>(name: string, thing: T, endings?: Endings<T>) => T
  /** Says goodbye after the words before the tool and hangs up, without waiting for this tool (SP8). */
  readonly hangUp: (options?: HangUpOptions) => Promise<HangUpOutcome>
  /** Puts the caller on hold until `resume()`, or until this tool has ended: music plays, and no turn begins (HD1). */
  readonly hold: (options?: HoldOptions) => Hold
  /**
   * Has the line connect the caller to a person. If that person answers, the session ends without waiting for this tool.
   * Otherwise return the outcome, so that the model says so (TR1). The tool's timeout does not run meanwhile.
   */
  readonly transfer: (options: TransferOptions) => Promise<TransferOutcome>
  /**
   * Has the carrier start, pause, resume or stop recording the call. Resolves to whether the carrier has confirmed it: if not, do not
   * ask for a card number (RC1). Rejects if the line cannot record calls.
   */
  readonly recordCall: (change: RecordingChange) => Promise<boolean>
  /** Finds out who answered a call out (MD1). The tool's timeout does not run meanwhile. */
  readonly answeredBy: (options?: AnsweredByOptions) => Promise<Answered>
  /**
   * Leaves a message with an answering machine, such as one that the model has noticed, and hangs up without waiting for this
   * tool (MD6). The tool's timeout does not run meanwhile.
   */
  readonly leaveMessage: (text: string, options?: LeaveMessageOptions) => Promise<MessageOutcome>
  /** Closes the session without waiting for this tool. */
  readonly close: (options?: CloseSessionOptions) => Promise<SessionReport>
}

export interface ToolOptions<Schema extends StandardSchema | undefined> {
  /** Tells the model when to call the tool. */
  description: string
  /** Any Standard Schema: zod, valibot, arktype. The model's input is validated before `run` sees it. */
  input?: Schema
  /** JSON Schema of the input, for schema libraries without JSON Schema export. */
  parameters?: Readonly<Record<string, unknown>>
  /** The call fails after this many milliseconds. Default: 15 s. */
  timeout?: number
  /** How long a close lets the tool run before it cancels the tool (TL1). Default: 0. */
  finishWithin?: number
  /** What happens to the call when the caller interrupts the agent. Default: `keep`. */
  onInterrupt?: 'keep' | 'cancel'
  /** Whether the call must be approved with `session.approve(id, true)` before it runs. Default: false. */
  approval?: boolean | ((input: OutputOf<Schema>) => boolean)
  /** What to say if the tool takes longer than `after` milliseconds. Default of `after`: 1.5 s. */
  filler?: { say: string; after?: number }
  /** For an identical call while one is running: `join` (default) shares its result, `run` runs it again. */
  duplicates?: 'join' | 'run'
  /** Returns anything that JSON can express. A returned `Agent` takes over the call (AG1). */
  run: (
    input: Schema extends StandardSchema ? OutputOf<Schema> : Record<string, unknown>,
    context: ToolContext,
  ) => unknown
}

const toolNames: OptionNames<ToolOptions<undefined>> = {
  description: true,
  input: true,
  parameters: true,
  timeout: true,
  finishWithin: true,
  onInterrupt: true,
  approval: true,
  filler: true,
  duplicates: true,
  run: true,
}

/** A tool that an agent can use, with all defaults filled in. */
export interface Tool {
  readonly description: string
  readonly input: StandardSchema | undefined
  readonly parameters: Readonly<Record<string, unknown>> | undefined
  readonly timeout: number
  readonly finishWithin: number
  readonly onInterrupt: 'keep' | 'cancel'
  readonly filler: { readonly say: string; readonly after: number } | undefined
  readonly duplicates: 'join' | 'run'
  readonly needsApproval: (input: unknown) => boolean
  /** Whether it runs in the caller's program: see `pageTool`. Default: false. */
  readonly inPage?: boolean
  readonly run: (input: unknown, context: ToolContext) => unknown
}

/** A set of tools that is opened with the session and closed with it: an MCP client, for instance (TL7). */
export interface Toolset {
  readonly name: string
  /** Opens what it needs in the scope of the context. Closing that scope closes the toolset. */
  open(context: PartContext): Promise<Readonly<Record<string, Tool>>>
}

/**
 * Defines a tool.
 *
 * ```ts
 * const findSlot = tool({
 *   description: 'Find a free appointment',
 *   input: z.object({ day: z.string() }),
 *   timeout: 8_000,
 *   run: async ({ day }, { signal }) => calendar.find(day, { signal }),
 * })
 * ```
 */
export function tool<Schema extends StandardSchema | undefined = undefined>(
  options: ToolOptions<Schema>,
): Tool {
  checkOptions('tool', options, toolNames)
  const { timeout = 15_000, finishWithin = 0, approval = false, filler } = options
  for (const [name, value] of Object.entries({ timeout, finishWithin })) {
    if (Number.isFinite(value) && value >= 0) continue
    throw new OptionError(`tool: ${name} must be a finite number of milliseconds, 0 or more; it is ${value}`)
  }
  if (filler) checkOptions('tool: filler', filler, { say: true, after: true })
  if (options.input !== undefined && typeof options.input['~standard']?.validate !== 'function')
    throw new OptionError(
      'tool: input must be a Standard Schema, as zod, valibot and arktype make them; pass a JSON Schema as parameters',
    )
  if (typeof options.run !== 'function') throw new OptionError('tool: run must be a function')
  return {
    description: options.description,
    input: options.input,
    parameters: options.parameters,
    timeout,
    finishWithin,
    onInterrupt: options.onInterrupt ?? 'keep',
    filler: filler && { say: filler.say, after: filler.after ?? 1_500 },
    duplicates: options.duplicates ?? 'join',
    needsApproval:
      typeof approval === 'function' ? (input) => approval(input as OutputOf<Schema>) : () => approval,
    run: (input, context) => options.run(input as Parameters<typeof options.run>[0], context),
  }
}

/** Describes an agent's tools to its model. */
export function describeTools(tools: Readonly<Record<string, Tool>>): ToolDescription[] {
  return Object.entries(tools).map(([name, { description, input, parameters }]) => ({
    name,
    description,
    parameters: jsonSchemaOf(name, input, parameters),
  }))
}
