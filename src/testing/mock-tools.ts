import {
  isAgent,
  Session,
  type Agent,
  type NestedTask,
  type SessionOptions,
  type Tool,
  type ToolContext,
} from '../session/index.ts'
import { AgentVariants } from './agent-variants.ts'

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

/** Replaces tools with mocks, for every agent that takes part in the session. */
export class MockTools extends AgentVariants {
  readonly #mocks: ReadonlyMap<string, MockTool>
  readonly #observer: ToolObserver
  readonly #wait: (ms: number) => Promise<void>

  constructor(
    mocks: Readonly<Record<string, MockTool>>,
    observer: ToolObserver,
    wait: (ms: number) => Promise<void>,
  ) {
    super()
    this.#mocks = new Map(Object.entries(mocks))
    this.#observer = observer
    this.#wait = wait
  }

  protected override async run(
    name: string,
    tool: Tool,
    input: unknown,
    context: ToolContext,
  ): Promise<unknown> {
    const mock = this.#mocks.get(name)
    this.#observer.ran(context.id, input, mock !== undefined)
    const value =
      mock === undefined
        ? await tool.run(input, context)
        : await playMock(name, mock, input, context, this.#wait)
    if (!isAgent(value)) this.#observer.returned(context.id, value)
    return value
  }

  protected override async nested<Result>(context: ToolContext, task: NestedTask<Result>): Promise<Result> {
    this.#observer.waits(context.id, true)
    try {
      return await super.nested(context, task)
    } finally {
      this.#observer.waits(context.id, false)
    }
  }
}

/** Runs a mock instead of a tool. */
export async function playMock(
  name: string,
  mock: MockTool,
  input: unknown,
  context: ToolContext,
  wait: (ms: number) => Promise<void>,
): Promise<unknown> {
  if (typeof mock === 'function') return mock(input as Readonly<Record<string, unknown>>, context)
  if (mock === 'hang') return new Promise(() => {})
  if (mock.late !== undefined) await wait(mock.late)
  if (!('throws' in mock)) return mock.returns
  const { throws } = mock
  throw typeof throws === 'string' ? new Error(`mock of '${name}': ${throws}`) : throws
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
