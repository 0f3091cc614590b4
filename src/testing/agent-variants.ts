import {
  isAgent,
  type Agent,
  type NestedTask,
  type Tool,
  type ToolContext,
  type Toolset,
} from '../session/index.ts'
import { variantOf } from './variant.ts'

/**
 * Runs the tools of agents in another way, without changing any agent: the session gets a variant of each agent, also after
 * handoffs and in nested tasks.
 */
export abstract class AgentVariants {
  readonly #variants = new WeakMap<Agent, Agent>()

  agent(agent: Agent): Agent {
    const known = this.#variants.get(agent)
    if (known) return known
    const variant = variantOf(agent, this.changes(agent))
    this.#variants.set(agent, variant)
    // A variant is its own variant.
    this.#variants.set(variant, variant)
    return variant
  }

  /** What is different about the variant of an agent. */
  protected changes(agent: Agent): Partial<Agent> {
    return {
      tools: this.#tools(agent.tools),
      toolsets: agent.toolsets.map((set) => this.#toolset(set)),
    }
  }

  /** Runs a tool. An agent that it returns is replaced by its variant. */
  protected abstract run(name: string, tool: Tool, input: unknown, context: ToolContext): unknown

  /** Runs a nested task of a tool. */
  protected nested<Result>(context: ToolContext, task: NestedTask<Result>): Promise<Result> {
    return context.run(task)
  }

  /** Opens a toolset. */
  protected open(set: Toolset, context: Parameters<Toolset['open']>[0]): ReturnType<Toolset['open']> {
    return set.open(context)
  }

  #toolset(set: Toolset): Toolset {
    return variantOf(set, { open: async (context) => this.#tools(await this.open(set, context)) })
  }

  #tools(tools: Readonly<Record<string, Tool>>): Readonly<Record<string, Tool>> {
    return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, this.#tool(name, tool)]))
  }

  #tool(name: string, tool: Tool): Tool {
    return variantOf(tool, {
      run: async (input: unknown, context: ToolContext) => {
        const own = variantOf(context, { run: (task) => this.nested(context, this.#task(task)) })
        const value = await this.run(name, tool, input, own)
        return isAgent(value) ? this.agent(value) : value
      },
    })
  }

  #task<Result>(task: NestedTask<Result>): NestedTask<Result> {
    const { name } = task
    return variantOf(task, { name, agent: (done) => this.agent(task.agent(done) as Agent) })
  }
}
