import type { PartContext, ToolDescription } from '../parts/index.ts'
import { OptionError, type CloseOptions } from '../scope/index.ts'
import type { AgentTask } from './agent.ts'
import type { HangUpOptions, HangUpOutcome } from './graceful-end.ts'
import type { SessionReport } from './report.ts'
import { jsonSchemaOf, type OutputOf, type StandardSchema } from './schema.ts'
import type { Speech } from './speech.ts'

/** How far the words before a tool have come (SP4). `stopped` is false while an interruption has not reached the ear. */
export interface ToolPlayout {
  readonly how: 'played' | 'interrupted' | 'failed' | 'nothing'
  readonly stopped: boolean
}

/** What a tool is given to work with. Its functions may be taken out of it. */
export interface ToolContext {
  /** Names this call; the same in the history and in every event. */
  readonly id: string
  readonly name: string
  /** Aborts when the call is cancelled: by closing, its timeout, or an interruption if it wants that. */
  readonly signal: AbortSignal
  /** Waits until the words before the tool have been heard, or the caller interrupts them (SP4). Never throws. */
  readonly waitForPlayout: () => Promise<ToolPlayout>
  /** Says something meanwhile. */
  readonly say: (text: string) => Speech
  /** Tells how far the work is: an event for whoever watches. */
  readonly progress: (update: string) => void
  /** Lets a nested agent talk to the caller until it has its result (AG5). */
  readonly run: <Result>(task: AgentTask<Result>) => Promise<Result>
  /** Says goodbye after the words before the tool and hangs up, without waiting for this very tool (SP8). */
  readonly hangUp: (options?: HangUpOptions) => Promise<HangUpOutcome>
  /** Closes the session without waiting for this very tool. */
  readonly close: (options?: Omit<CloseOptions, 'from'>) => Promise<SessionReport>
}

export interface ToolOptions<Schema extends StandardSchema | undefined> {
  /** What the model reads to decide when to call it. */
  description: string
  /** Any Standard Schema: zod, valibot, arktype. What the model sends is checked before `run` sees it. */
  input?: Schema
  /** JSON Schema of the input, for schemas that cannot tell it themselves. */
  parameters?: Readonly<Record<string, unknown>>
  /** After so long the call has failed: 15 s unless set. */
  timeout?: number
  /** For how long a close lets it finish before it is cancelled (TL1): 0 unless set. */
  finishWithin?: number
  /** What an interruption of the agent does to it: it goes on, unless it says `cancel`. */
  onInterrupt?: 'keep' | 'cancel'
  /** It runs only after `session.approve(id, true)`. */
  approval?: boolean | ((input: OutputOf<Schema>) => boolean)
  /** What to say if it takes longer than `after` (1.5 s unless set). */
  filler?: { say: string; after?: number }
  /** What a call does that equals one still running: shares its result, unless it says `run`. */
  duplicates?: 'join' | 'run'
  /** Anything that can be written as JSON; an `Agent` hands the caller over to it (AG1). */
  run: (
    input: Schema extends StandardSchema ? OutputOf<Schema> : Record<string, unknown>,
    context: ToolContext,
  ) => unknown
}

/** A tool an agent can use, with everything decided. */
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
  readonly run: (input: unknown, context: ToolContext) => unknown
}

/** A set of tools that has to be opened and closed: an MCP client, for instance (TL7). */
export interface Toolset {
  readonly name: string
  /** Whatever it needs is opened in the scope it is given; closing that scope closes it. */
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
  const { timeout = 15_000, finishWithin = 0, approval = false, filler } = options
  for (const [name, value] of Object.entries({ timeout, finishWithin })) {
    if (Number.isFinite(value) && value >= 0) continue
    throw new OptionError(`tool: ${name} must be a finite number of milliseconds, 0 or more; it is ${value}`)
  }
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

/** The tools of an agent, as its model is told about them. */
export function describeTools(tools: Readonly<Record<string, Tool>>): ToolDescription[] {
  return Object.entries(tools).map(([name, { description, input, parameters }]) => ({
    name,
    description,
    parameters: jsonSchemaOf(name, input, parameters),
  }))
}
