import type { CloseOptions, Clock, Late, Scope, TaskContext } from '../scope/index.ts'
import type { AgentTask } from './agent.ts'
import { ToolError } from './errors.ts'
import type { HangUpOptions, HangUpOutcome } from './graceful-end.ts'
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
  /** Why it failed. */
  readonly error?: unknown
}

/** What the session does for its tools. */
export interface ToolHost {
  readonly scope: Scope<string>
  say(text: string): Speech
  progress(call: ToolCall, update: string): void
  approvalWanted(call: ToolCall, input: unknown): void
  run<Result>(task: AgentTask<Result>, from: TaskContext): Promise<Result>
  hangUp(options: HangUpOptions | undefined, from: TaskContext): Promise<HangUpOutcome>
  close(options: CloseOptions): Promise<SessionReport>
  /** Takes what comes after a call had its outcome (TL3). It must not hold the session. */
  readonly late: ((late: Late) => void) | undefined
}

/** What ties a tool to its session, until the call has its outcome: one that never ends keeps nothing alive (SC9). */
export interface Tie {
  host: ToolHost | undefined
  before: (() => Promise<ToolPlayout>) | undefined
  finish: ((outcome: ToolOutcome) => void) | undefined
  readonly late: (late: Omit<Late, 'scope' | 'kind' | 'at'>, endedAt: number) => void
  readonly clock: Clock
  endedAt: number
  closed: Promise<SessionReport> | undefined
  /** What the tool is doing to the session, if that ends it. */
  ends: string | undefined
}

/** Runs the tool. Outside of the runner, because all that this function knows lives as long as the tool does. */
export async function runTool(
  tool: Tool,
  input: unknown,
  call: ToolCall,
  task: TaskContext,
  tie: Tie,
): Promise<unknown> {
  task.onCancel((reason) => {
    // One that ends the session has done what it was called for when the session's end reaches it.
    finish(tie, tie.ends === undefined ? failure(cancelled(call, reason)) : success(tie.ends))
  })
  try {
    const value = await tool.run(input, contextOf(task, call, tie))
    if (!finish(tie, success(value))) tell(tie, task, { name: call.name, outcome: 'ended', value })
    return value
  } catch (error) {
    if (!finish(tie, failure(error)) && !isAbort(error, task))
      tell(tie, task, { name: call.name, outcome: 'failed', error })
    throw error
  }
}

/** The call has its outcome: the tie is cut. Returns whether this was the time. */
function finish(tie: Tie, outcome: ToolOutcome): boolean {
  const { finish: settle } = tie
  if (!settle) return false
  tie.host = undefined
  tie.before = undefined
  tie.finish = undefined
  tie.endedAt = tie.clock.now()
  settle(outcome)
  return true
}

/** What comes too late changes nothing (TL3). That of an abandoned task is told by the scope that abandoned it. */
function tell(tie: Tie, task: TaskContext, late: Omit<Late, 'scope' | 'kind' | 'at'>): void {
  if (!isAbandoned(task)) tie.late(late, tie.endedAt)
}

function isAbandoned(task: TaskContext): boolean {
  try {
    return task.scope.state === 'closed'
  } catch {
    return true
  }
}

function isAbort(error: unknown, task: TaskContext): boolean {
  return (
    task.cancelled &&
    (error === task.signal.reason || (error instanceof Error && error.name === 'AbortError'))
  )
}

/** The tie of one call. What takes late results holds no session. */
export function tieOf(
  host: ToolHost,
  scope: Scope,
  before: () => Promise<ToolPlayout>,
  settle: (outcome: ToolOutcome) => void,
): Tie {
  const { late } = host
  const { clock } = scope
  const path = `${host.scope.name}/${scope.name}`
  return {
    host,
    before,
    finish: settle,
    clock,
    endedAt: 0,
    closed: undefined,
    ends: undefined,
    late: (what, endedAt) => {
      try {
        late?.({ scope: path, kind: 'task', at: clock.now() - endedAt, ...what })
      } catch {
        // A broken listener must not turn a late result into a failure.
      }
    },
  }
}

function contextOf(task: TaskContext, call: ToolCall, tie: Tie): ToolContext {
  const host = (): ToolHost => {
    if (tie.host) return tie.host
    throw new ToolError(
      'TOOL_CANCELLED',
      `the call of '${call.name}' is over: its context is of no use any more`,
    )
  }
  return {
    id: call.id,
    name: call.name,
    get signal() {
      return task.signal
    },
    waitForPlayout: () => tie.before?.() ?? Promise.resolve({ how: 'interrupted', stopped: false }),
    say: (text) => host().say(text),
    progress: (update) => host().progress(call, update),
    run: async (nested) => host().run(nested, task),
    hangUp: async (options) => {
      const session = host()
      tie.ends = 'hung up'
      const how = await session.hangUp(options, task).catch((error: unknown) => {
        tie.ends = undefined
        throw error
      })
      if (how === 'cancelled') tie.ends = undefined
      return how
    },
    close: async (options) => {
      const session = host()
      tie.ends = 'closed'
      return (tie.closed ??= session.close({ ...options, from: task }))
    },
  }
}

export function cancelled({ name }: ToolCall, cause?: unknown): ToolError {
  return new ToolError('TOOL_CANCELLED', `'${name}' was cancelled`, { cause })
}

export async function parse(call: ToolCall, tool: Tool): Promise<unknown> {
  let value: unknown
  try {
    value = call.input.trim() === '' ? {} : JSON.parse(call.input)
  } catch {
    throw new ToolError(
      'TOOL_INPUT',
      `the input of '${call.name}' is not JSON; write it again as one JSON object`,
    )
  }
  if (!tool.input) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    throw new ToolError('TOOL_INPUT', `the input of '${call.name}' must be one JSON object`)
  }
  const result = await tool.input['~standard'].validate(value)
  if (result.issues) {
    throw new ToolError(
      'TOOL_INPUT',
      `the input of '${call.name}' is wrong: ${describeIssues(result.issues)}`,
    )
  }
  return result.value
}

export function success(value: unknown): ToolOutcome {
  return { output: asText(value), failed: false, value }
}

export function failure(error: unknown): ToolOutcome {
  return { output: error instanceof Error ? error.message : String(error), failed: true, error }
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
