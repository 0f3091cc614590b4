import {
  Agent,
  Session,
  type NestedTask,
  type SessionOptions,
  type Tool,
  type ToolContext,
  type Toolset,
} from '../session/index.ts'
import { variantOf } from './variant.ts'

/**
 * What a tool does in a rehearsal instead of its own `run`. The tool's schema still checks the model's input first.
 *
 * - a function: runs instead of the tool
 * - `'hang'`: never settles and ignores its signal
 * - `{ returns }`, `{ throws }`: settles like this, after `late` milliseconds if set
 */
export type MockTool =
  | MockRun
  | 'hang'
  | { readonly returns?: unknown; readonly late?: number }
  | { readonly throws: unknown; readonly late?: number }

/** Declared as a method, so that a mock can declare its input: `({ day }: { day: string }) => …`. */
export type MockRun = {
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): unknown
}['run']

/** Callbacks about the tools of a session. */
export interface ToolObserver {
  /** The tool starts. `input` has been parsed by its schema. */
  ran(call: string, input: unknown, mocked: boolean): void
  /** The tool returned something other than an agent. */
  returned(call: string, value: unknown): void
  /** The tool starts or stops waiting for a nested agent. */
  waits(call: string, waits: boolean): void
}

/**
 * Replaces tools with mocks without changing any agent: the session gets a variant of each agent, also after handoffs and
 * in nested tasks.
 */
export class MockTools {
  readonly #mocks: ReadonlyMap<string, MockTool>
  readonly #observer: ToolObserver
  readonly #wait: (ms: number) => Promise<void>
  readonly #variants = new WeakMap<Agent, Agent>()

  constructor(
    mocks: Readonly<Record<string, MockTool>>,
    observer: ToolObserver,
    wait: (ms: number) => Promise<void>,
  ) {
    this.#mocks = new Map(Object.entries(mocks))
    this.#observer = observer
    this.#wait = wait
  }

  agent(agent: Agent): Agent {
    const known = this.#variants.get(agent)
    if (known) return known
    const variant = variantOf(agent, {
      tools: this.#tools(agent.tools),
      toolsets: agent.toolsets.map((set) => this.#toolset(set)),
    })
    this.#variants.set(agent, variant)
    // A variant is its own variant.
    this.#variants.set(variant, variant)
    return variant
  }

  #task<Result>(task: NestedTask<Result>): NestedTask<Result> {
    const { name } = task
    return variantOf(task, { name, agent: (done) => this.agent(task.agent(done) as Agent) })
  }

  #toolset(set: Toolset): Toolset {
    return variantOf(set, { open: async (context) => this.#tools(await set.open(context)) })
  }

  #tools(tools: Readonly<Record<string, Tool>>): Readonly<Record<string, Tool>> {
    return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, this.#tool(name, tool)]))
  }

  #tool(name: string, tool: Tool): Tool {
    return variantOf(tool, {
      run: async (input: unknown, context: ToolContext) => {
        const mock = this.#mocks.get(name)
        const { id } = context
        this.#observer.ran(id, input, mock !== undefined)
        const own = variantOf(context, { run: (task) => this.#nested(context, task) })
        const value =
          mock === undefined ? await tool.run(input, own) : await this.#play(name, mock, input, own)
        if (value instanceof Agent) return this.agent(value)
        this.#observer.returned(id, value)
        return value
      },
    })
  }

  async #nested<Result>({ id, run }: ToolContext, task: NestedTask<Result>): Promise<Result> {
    this.#observer.waits(id, true)
    try {
      return await run(this.#task(task))
    } finally {
      this.#observer.waits(id, false)
    }
  }

  async #play(name: string, mock: MockTool, input: unknown, context: ToolContext): Promise<unknown> {
    if (typeof mock === 'function') return mock(input as Readonly<Record<string, unknown>>, context)
    if (mock === 'hang') return new Promise(() => {})
    if (mock.late !== undefined) await this.#wait(mock.late)
    if (!('throws' in mock)) return mock.returns
    const { throws } = mock
    throw typeof throws === 'string' ? new Error(`mock of '${name}': ${throws}`) : throws
  }
}

/** A session that uses variants of its agents, and reports when a tool call has been approved or refused. */
export class RehearsedSession extends Session {
  readonly #mocks: MockTools
  readonly #approved: (call: string) => void

  constructor(options: SessionOptions, mocks: MockTools, approved: (call: string) => void) {
    super({ ...options, agent: mocks.agent(options.agent) })
    this.#mocks = mocks
    this.#approved = approved
  }

  override handOff(to: Agent): Promise<void> {
    return super.handOff(this.#mocks.agent(to))
  }

  override approve(id: string, approved: boolean): boolean {
    this.#approved(id)
    return super.approve(id, approved)
  }
}
