import { isAgent } from './agent.ts'
import type { Clock, Late, Scope, TaskContext } from '../../scope/index.ts'
import type { Hold } from '../closing/asks.ts'
import type { SessionReport } from '../closing/report.ts'
import type { SessionContext } from '../context.ts'
import { ToolError } from '../errors.ts'
import type { ToolStop } from '../history/history-item.ts'
import { recordCall } from '../recording/record-call.ts'
import type { PressOutcome, Speech } from '../speaking/speech.ts'
import { runInPage, type PageToolContext } from './page-tool.ts'
import { describeIssues } from './schema.ts'
import type { NestedTask, Tool, ToolCall, ToolOutcome, ToolPlayout } from './tool.ts'

/** What tools can do in the conversation. Implemented by `Answering`. */
export interface ToolActions {
  say(text: string): Speech
  press(keys: string): Promise<PressOutcome>
  runTask<Result>(task: NestedTask<Result>, from: TaskContext): Promise<Result>
}

/**
 * The references from a running tool to its session. They are cut when the call has its outcome, so that a tool that never
 * ends does not keep the session in memory (SC9).
 */
export interface Binding {
  session: { readonly context: SessionContext; readonly actions: ToolActions } | undefined
  before: (() => Promise<ToolPlayout>) | undefined
  settle: ((outcome: ToolOutcome) => void) | undefined
  /** Does work that takes as long as people do: the timeout of the tool does not run meanwhile. */
  untimed: Untimed | undefined
  /** What keeps the caller waiting for this call. */
  readonly holds: Hold[]
  readonly late: (late: Omit<Late, 'scope' | 'kind' | 'at'>, endedAt: number) => void
  readonly clock: Clock
  endedAt: number
  closed: Promise<SessionReport> | undefined
  /** The output of the call if the tool itself ends the session. */
  endsWith: string | undefined
  /** The output of the call if it is cancelled. */
  ifCancelled: string | undefined
}

type Untimed = <T>(work: () => Promise<T>) => Promise<T>

/** Binds one call. `late` holds no reference to the session. */
export function bind(
  context: SessionContext,
  actions: ToolActions,
  scope: Scope,
  before: () => Promise<ToolPlayout>,
  settle: (outcome: ToolOutcome) => void,
  untimed: Untimed,
): Binding {
  const { onLate } = context.settings
  const { clock } = scope
  const path = `${context.scope.name}/${scope.name}`
  return {
    session: { context, actions },
    before,
    settle,
    untimed,
    holds: [],
    clock,
    endedAt: 0,
    closed: undefined,
    endsWith: undefined,
    ifCancelled: undefined,
    late: (what, endedAt) => {
      try {
        onLate?.({ scope: path, kind: 'task', at: clock.now() - endedAt, ...what })
      } catch {
        // A listener that throws must not turn a late result into a failure.
      }
    },
  }
}

/** Runs the tool. Not a method of the runner: everything it references stays in memory as long as the tool runs. */
export async function runTool(
  tool: Tool,
  input: unknown,
  call: ToolCall,
  task: TaskContext,
  binding: Binding,
): Promise<unknown> {
  task.onCancel((reason) => {
    // A tool that ends the session has succeeded when the close cancels it.
    const output = binding.endsWith ?? binding.ifCancelled
    finish(binding, output === undefined ? failure(cancelled(call, reason)) : success(output))
  })
  try {
    const value = await tool.run(input, contextOf(task, call, binding))
    if (!finish(binding, success(value)))
      reportLate(binding, task, { name: call.name, outcome: 'ended', value })
    return value
  } catch (error) {
    if (!finish(binding, failure(error)) && !isAbort(error, task))
      reportLate(binding, task, { name: call.name, outcome: 'failed', error })
    throw error
  }
}

/** Sets the outcome of the call and cuts the binding. Returns false if the call has its outcome already. */
function finish(binding: Binding, outcome: ToolOutcome): boolean {
  const { settle } = binding
  if (!settle) return false
  binding.session = undefined
  binding.before = undefined
  binding.settle = undefined
  binding.untimed = undefined
  binding.endedAt = binding.clock.now()
  for (const { resume } of binding.holds.splice(0)) resume()
  settle(outcome)
  return true
}

/** A late result changes nothing (TL3). Late results of abandoned tasks are reported by their scope. */
function reportLate(binding: Binding, task: TaskContext, late: Omit<Late, 'scope' | 'kind' | 'at'>): void {
  if (!isAbandoned(task)) binding.late(late, binding.endedAt)
}

function isAbandoned(task: TaskContext): boolean {
  try {
    return task.scope.state === 'closed'
  } catch {
    return true
  }
}

function isAbort(error: unknown, task: TaskContext): boolean {
  if (!task.cancelled) return false
  return error === task.signal.reason || (error instanceof Error && error.name === 'AbortError')
}

function contextOf(task: TaskContext, call: ToolCall, binding: Binding): PageToolContext {
  const session = sessionOf(call, binding)
  return withHistory(session, {
    id: call.id,
    name: call.name,
    signal: task.signal,
    waitForPlayout: () => binding.before?.() ?? Promise.resolve({ how: 'interrupted', stopped: false }),
    say: (text) => session().actions.say(text),
    press: async (keys) => session().actions.press(keys),
    ifCancelled: (output) => {
      session()
      binding.ifCancelled = output
    },
    progress: (update) => {
      const { context } = session()
      context.movedAt = binding.clock.now()
      context.events.emit('progress', { id: call.id, name: call.name, update })
    },
    run: async (nested) => session().actions.runTask(nested, task),
    own: (name, thing, endings) => task.scope.own(name, thing, endings ?? ({} as never)),
    hangUp: async (options) => {
      const { context } = session()
      binding.endsWith = 'hung up'
      try {
        const how = await binding.untimed!(() => context.ends.hangUp(options, task))
        if (how === 'cancelled') binding.endsWith = undefined
        return how
      } catch (error) {
        binding.endsWith = undefined
        throw error
      }
    },
    hold: (options) => {
      const held = session().context.holds.hold(options)
      binding.holds.push(held)
      return held
    },
    transfer: async (options) => {
      const { context } = session()
      const done = (): void => {
        binding.endsWith = 'transferred'
      }
      return binding.untimed!(() => context.transfers.transfer(options, { task, done }))
    },
    recordCall: async (change) => recordCall(session().context, change),
    runInPage: async (input) => runInPage(session().context, call, input, task.signal),
    answeredBy: async (options) => {
      const { context } = session()
      return binding.untimed!(() => context.pickups().answeredBy(options))
    },
    leaveMessage: async (text, options) => {
      const { context } = session()
      const done = (): void => {
        binding.endsWith = 'hung up'
      }
      return binding.untimed!(() => context.pickups().leaveMessage(text, options, { task, done }))
    },
    close: async (options) => {
      const { context } = session()
      binding.endsWith = 'closed'
      return (binding.closed ??= context.ends.close({
        ...options,
        reason: options?.reason ?? 'requested',
        from: task,
      }))
    },
  })
}

type SessionOf = () => NonNullable<Binding['session']>

/** Returns the session of a call for as long as the call has not ended. */
function sessionOf({ name }: ToolCall, binding: Binding): SessionOf {
  return () => {
    if (binding.session) return binding.session
    throw new ToolError(
      'TOOL_CANCELLED',
      `the call of '${name}' has ended: its context can no longer be used`,
    )
  }
}

/** Adds the history, which a call that has ended must not keep in memory. The getter refers to nothing else (SC22). */
function withHistory(session: SessionOf, context: Omit<PageToolContext, 'history'>): PageToolContext {
  const get = (): PageToolContext['history'] => session().context.history
  return Object.defineProperty(context, 'history', { enumerable: true, get }) as PageToolContext
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
    const issues = describeIssues(result.issues)
    throw new ToolError('TOOL_INPUT', `the input of '${call.name}' is wrong: ${issues}`)
  }
  return result.value
}

export function success(value: unknown): ToolOutcome {
  return {
    output: isAgent(value) ? `handed over to ${value.name}` : asText(value),
    failed: false,
    value,
  }
}

export function failure(error: unknown): ToolOutcome {
  const stopped = error instanceof ToolError ? stops[error.code] : undefined
  const output = error instanceof Error ? error.message : String(error)
  return { output, failed: true, error, ...(stopped ? { stopped } : {}) }
}

/** Errors that are not a failure of the tool. */
const stops: Readonly<Record<string, ToolStop>> = { TOOL_CANCELLED: 'cancelled', TOOL_REFUSED: 'refused' }

/** Formats a result for the model. */
function asText(value: unknown): string {
  if (value === undefined) return 'done'
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? 'done'
  } catch {
    return 'a result that cannot be written as JSON'
  }
}
