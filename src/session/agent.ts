import type { AudioFrame } from '../audio/index.ts'
import type { Guardrails } from './guardrails.ts'
import type { SessionReport } from './report.ts'
import type { CloseSessionOptions, Session } from './session.ts'
import type { Tool, Toolset } from './tool.ts'

/** What a hook is given. */
export interface HookContext {
  readonly session: Session
  /** Aborts when the session closes, or when the hook has used up its time. */
  readonly signal: AbortSignal
  /** Closes the session without waiting for this very hook. */
  readonly close: (options?: CloseSessionOptions) => Promise<SessionReport>
}

export interface AgentOptions {
  name?: string
  instructions: string
  tools?: Readonly<Record<string, Tool>>
  toolsets?: readonly Toolset[]
  guardrails?: Guardrails
  /** The agent takes over: it may greet. */
  onEnter?: (context: HookContext) => unknown
  /** The agent leaves, by handoff or because the session closes. */
  onExit?: (context: HookContext) => unknown
  /** The user has finished. What it returns is what the model reads; nothing leaves the text as it is. */
  onTurn?: (text: string, context: HookContext) => string | void | PromiseLike<string | void>
  stages?: Stages
}

/** What may stand between the model and the caller, as plain async generators. */
export interface Stages {
  /** Text on its way to the voice. */
  text?: (text: AsyncIterable<string>) => AsyncIterable<string>
  /** Sound on its way to the line. */
  sound?: (frames: AsyncIterable<AudioFrame>) => AsyncIterable<AudioFrame>
}

/** Whom the caller talks to. It keeps nothing of a call: one agent may serve many sessions. */
export class Agent {
  readonly name: string
  readonly instructions: string
  readonly tools: Readonly<Record<string, Tool>>
  readonly toolsets: readonly Toolset[]
  readonly guardrails: Guardrails
  readonly stages: Stages
  readonly onEnter: AgentOptions['onEnter']
  readonly onExit: AgentOptions['onExit']
  readonly onTurn: AgentOptions['onTurn']

  constructor(options: AgentOptions) {
    this.name = options.name ?? 'agent'
    this.instructions = options.instructions
    this.tools = options.tools ?? {}
    this.toolsets = options.toolsets ?? []
    this.guardrails = options.guardrails ?? {}
    this.stages = options.stages ?? {}
    this.onEnter = options.onEnter
    this.onExit = options.onExit
    this.onTurn = options.onTurn
  }
}

/**
 * An agent with one thing to find out: it talks to the caller until it has its result, then the agent before it goes on.
 *
 * ```ts
 * const askBirthday = new AgentTask<Date>({
 *   instructions: 'Ask for the date of birth.',
 *   tools: (done) => ({ save: tool({ …, run: ({ date }) => done(new Date(date)) }) }),
 * })
 * const birthday = await context.run(askBirthday)
 * ```
 */
export class AgentTask<Result> {
  readonly #options: AgentTaskOptions<Result>

  constructor(options: AgentTaskOptions<Result>) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name ?? 'task'
  }

  /** The agent for one run of the task. `done` may be called from its tools and hooks; the first call counts. */
  agent(done: (result: Result) => void): Agent {
    const { tools, ...options } = this.#options
    return new Agent({ name: 'task', ...options, tools: tools(done) })
  }
}

export interface AgentTaskOptions<Result> extends Omit<AgentOptions, 'tools'> {
  tools: (done: (result: Result) => void) => Readonly<Record<string, Tool>>
}
