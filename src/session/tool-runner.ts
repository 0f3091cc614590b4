import type { CloseOptions, Scope, TaskContext, TaskHandle } from '../scope/index.ts'
import type { AgentTask } from './agent.ts'
import { ToolError } from './errors.ts'
import type { SessionReport } from './report.ts'
import { describeIssues } from './schema.ts'
import type { Speech } from './speech.ts'
import type { Tool, ToolContext, ToolPlayout } from './tool.ts'

/** A call as the model made it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it: it may be wrong. */
  readonly input: string
}

/** What became of a call: its one output in the history (TL2). */
export interface ToolOutcome {
  readonly output: string
  readonly failed: boolean
  /** What the tool returned, for results that mean more than their text: a handoff. */
  readonly value?: unknown
}

/** What the session does for its tools. */
export interface ToolHost {
  readonly scope: Scope<string>
  say(text: string): Speech
  progress(call: ToolCall, update: string): void
  approvalWanted(call: ToolCall, input: unknown): void
  run<Result>(task: AgentTask<Result>, from: TaskContext): Promise<Result>
  close(options: CloseOptions): Promise<SessionReport>
}

/** Runs tool calls: each in a scope of its own, with a signal and a timeout, and always to one outcome (TL1, TL2). */
export class ToolRunner {
  readonly #host: ToolHost
  readonly #running = new Map<string, { readonly key: string; readonly outcome: Promise<ToolOutcome> }>()
  readonly #approvals = new Map<string, (approved: boolean) => void>()
  readonly #interruptible = new Map<string, TaskHandle<unknown>>()

  constructor(host: ToolHost) {
    this.#host = host
  }

  /** True while any call has no outcome yet. */
  get busy(): boolean {
    return this.#running.size > 0
  }

  /** Never rejects: whatever happens, the call has an outcome. `before` is how the words before the tool fare. */
  call(
    call: ToolCall,
    tools: Readonly<Record<string, Tool>>,
    before: () => Promise<ToolPlayout>,
  ): Promise<ToolOutcome> {
    const tool = tools[call.name]
    if (!tool) {
      const known = Object.keys(tools).join(', ') || 'none'
      return Promise.resolve(
        failure(new ToolError('TOOL_UNKNOWN', `there is no tool '${call.name}'; there are: ${known}`)),
      )
    }
    const key = `${call.name} ${call.input}`
    const twin = [...this.#running.values()].find((other) => other.key === key)
    if (twin && tool.duplicates === 'join') return twin.outcome
    const outcome = this.#run(call, tool, before).finally(() => this.#running.delete(call.id))
    this.#running.set(call.id, { key, outcome })
    return outcome
  }

  /** Settles a pending approval (TL8). Returns whether there was one. */
  approve(id: string, approved: boolean): boolean {
    const settle = this.#approvals.get(id)
    settle?.(approved)
    return this.#approvals.delete(id)
  }

  /** The agent was interrupted: those that want to know are cancelled (TL1). */
  interrupt(): void {
    for (const task of this.#interruptible.values()) task.cancel('the agent was interrupted')
  }

  /** The model does not want the result any more. */
  cancel(id: string): void {
    this.#interruptible.get(id)?.cancel('the model cancelled the call')
  }

  async #run(call: ToolCall, tool: Tool, before: () => Promise<ToolPlayout>): Promise<ToolOutcome> {
    let scope: Scope
    try {
      scope = this.#host.scope.child(`tool ${call.name}`)
    } catch (error) {
      return failure(new ToolError('TOOL_CANCELLED', 'the session is closing', { cause: error }))
    }
    try {
      const input = await parse(call, tool)
      if (tool.needsApproval(input) && !(await this.#approved(scope, call, input))) {
        return failure(new ToolError('TOOL_REFUSED', `the call of '${call.name}' was not approved`))
      }
      return success(await this.#execute(scope, call, tool, input, before))
    } catch (error) {
      return failure(error)
    } finally {
      // Whatever the tool left running ends with it; nobody waits for that here.
      scope.close({ reason: 'the tool is done' }).catch(() => {})
    }
  }

  #approved(scope: Scope, call: ToolCall, input: unknown): Promise<boolean> {
    const answer = new Promise<boolean>((resolve) => this.#approvals.set(call.id, resolve))
    this.#host.approvalWanted(call, input)
    return scope.until(answer).finally(() => this.#approvals.delete(call.id))
  }

  async #execute(
    scope: Scope,
    call: ToolCall,
    tool: Tool,
    input: unknown,
    before: () => Promise<ToolPlayout>,
  ): Promise<unknown> {
    let timedOut = false
    const task = scope.spawn(call.name, (context) => tool.run(input, this.#context(context, call, before)), {
      shield: tool.finishWithin,
    })
    scope.after(tool.timeout, `timeout of tool '${call.name}'`, () => {
      timedOut = true
      task.cancel(`'${call.name}' took longer than ${tool.timeout} ms`)
      scope.close({ reason: 'timeout', within: 0 }).catch(() => {})
    })
    if (tool.filler) {
      const { say, after } = tool.filler
      scope.after(after, `filler of tool '${call.name}'`, () => void this.#host.say(say))
    }
    if (tool.onInterrupt === 'cancel') this.#interruptible.set(call.id, task)
    try {
      return await task.result
    } catch (error) {
      if (timedOut) throw new ToolError('TOOL_TIMEOUT', `'${call.name}' took longer than ${tool.timeout} ms`)
      if (task.outcome !== 'failed')
        throw new ToolError('TOOL_CANCELLED', `'${call.name}' was cancelled`, { cause: error })
      throw error
    } finally {
      this.#interruptible.delete(call.id)
    }
  }

  #context(task: TaskContext, call: ToolCall, before: () => Promise<ToolPlayout>): ToolContext {
    const host = this.#host
    return {
      id: call.id,
      name: call.name,
      get signal() {
        return task.signal
      },
      waitForPlayout: before,
      say: (text) => host.say(text),
      progress: (update) => host.progress(call, update),
      run: (nested) => host.run(nested, task),
      close: (options) => host.close({ ...options, from: task }),
    }
  }
}

async function parse(call: ToolCall, tool: Tool): Promise<unknown> {
  let value: unknown
  try {
    value = call.input.trim() === '' ? {} : JSON.parse(call.input)
  } catch {
    throw new ToolError(
      'TOOL_INPUT',
      `the input of '${call.name}' is not JSON; write it again as one JSON object`,
    )
  }
  if (!tool.input) return value
  const result = await tool.input['~standard'].validate(value)
  if (result.issues) {
    throw new ToolError(
      'TOOL_INPUT',
      `the input of '${call.name}' is wrong: ${describeIssues(result.issues)}`,
    )
  }
  return result.value
}

function success(value: unknown): ToolOutcome {
  return { output: asText(value), failed: false, value }
}

function failure(error: unknown): ToolOutcome {
  return { output: error instanceof Error ? error.message : String(error), failed: true }
}

/** What the model reads of a result. */
function asText(value: unknown): string {
  if (value === undefined) return 'done'
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? 'done'
  } catch {
    return 'a result that cannot be written as JSON'
  }
}
