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
 * What a tool does in a rehearsal instead of what it does in life. The model's input is checked by the tool's own schema
 * first, as ever.
 *
 * - a function: runs instead of the tool's own `run`
 * - `'hang'`: never comes to an end, and ignores its signal
 * - `{ returns }`, `{ throws }`: comes to this end, after `late` milliseconds if that is set
 */
export type MockTool =
  | MockRun
  | 'hang'
  | { readonly returns?: unknown; readonly late?: number }
  | { readonly throws: unknown; readonly late?: number }

/** Written as a method, so that a mock may say which input it takes: `({ day }: { day: string }) => …`. */
export type MockRun = {
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): unknown
}['run']

/** Who is told of what tools do. */
export interface ToolWitness {
  /** The tool runs, with its input as its schema has read it. */
  ran(call: string, input: unknown, mocked: boolean): void
  /** The tool returned something else than an agent. */
  returned(call: string, value: unknown): void
  /** The tool waits for a nested agent, or has done so. */
  waits(call: string, waits: boolean): void
}

/**
 * Puts mocks into the place of tools without changing an agent: the session works with a variant of each agent, as it
 * comes on duty. Handoffs and nested agents lead to variants again.
 */
export class MockTools {
  readonly #mocks: ReadonlyMap<string, MockTool>
  readonly #witness: ToolWitness
  readonly #wait: (ms: number) => Promise<void>
  readonly #variants = new WeakMap<Agent, Agent>()

  constructor(
    mocks: Readonly<Record<string, MockTool>>,
    witness: ToolWitness,
    wait: (ms: number) => Promise<void>,
  ) {
    this.#mocks = new Map(Object.entries(mocks))
    this.#witness = witness
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
    // The variant of a variant is itself.
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
        this.#witness.ran(id, input, mock !== undefined)
        const own = variantOf(context, { run: (task) => this.#nested(context, task) })
        const value =
          mock === undefined ? await tool.run(input, own) : await this.#play(name, mock, input, own)
        if (value instanceof Agent) return this.agent(value)
        this.#witness.returned(id, value)
        return value
      },
    })
  }

  async #nested<Result>({ id, run }: ToolContext, task: NestedTask<Result>): Promise<Result> {
    this.#witness.waits(id, true)
    try {
      return await run(this.#task(task))
    } finally {
      this.#witness.waits(id, false)
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

/** A session whose agents are variants, whichever way they come on duty; and that says when an approval is settled. */
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
