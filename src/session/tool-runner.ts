import { noop, type Scope, type TaskContext, type TaskHandle, type Timer } from '../scope/index.ts'
import { ToolError } from './errors.ts'
import type { Tool, ToolPlayout } from './tool.ts'
import {
  cancelled,
  failure,
  parse,
  runTool,
  success,
  tieOf,
  type ToolCall,
  type ToolHost,
  type ToolOutcome,
} from './tool-call.ts'

export type { ToolCall, ToolHost, ToolOutcome } from './tool-call.ts'

/** A call without an outcome. */
interface Running {
  readonly call: ToolCall
  readonly tool: Tool
  /** How the words before the tool fare. */
  readonly before: () => Promise<ToolPlayout>
  /** Owns all that the call does. */
  readonly scope: Scope
  /** What it does now: read its input, or run. */
  task: TaskHandle<unknown> | undefined
  /** When it will have used up its time; 0 while it waits for approval. */
  dueAt: number
  timer: Timer | undefined
  filler: Timer | undefined
  approve: ((approved: boolean) => void) | undefined
  /** Those who want the outcome: more than one if equal calls share it. */
  readonly done: ((outcome: ToolOutcome) => void)[]
}

/**
 * Runs tool calls: each in a scope of its own, with a signal and a timeout, and always to one outcome (TL1, TL2).
 *
 *   call ─▶ input read ─▶ approved ─▶ runs ─▶ its outcome, once; told synchronously, so that no close comes between
 *             └──────────────┴─────────┴── cancelled · timed out ─▶ its outcome, now; what comes later goes to onLate
 */
export class ToolRunner {
  readonly #host: ToolHost
  readonly #running = new Set<Running>()

  constructor(host: ToolHost) {
    this.#host = host
  }

  /** When the last of the tools that run now will have used up its own time; one that waits for approval does not run. */
  get busyUntil(): number {
    return Math.max(0, ...[...this.#running].map(({ dueAt }) => dueAt))
  }

  /** True while any call has no outcome yet. */
  get busy(): boolean {
    return this.#running.size > 0
  }

  /** Whatever happens, `done` is called, once, synchronously with what decides the outcome. */
  call(
    call: ToolCall,
    tools: Readonly<Record<string, Tool>>,
    before: () => Promise<ToolPlayout>,
    done: (outcome: ToolOutcome) => void,
  ): void {
    // What the model wrote may be the name of something that every object has.
    const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined
    if (!tool) {
      const known = Object.keys(tools).join(', ') || 'none'
      const error = new ToolError('TOOL_UNKNOWN', `there is no tool '${call.name}'; there are: ${known}`)
      return done(failure(error))
    }
    const twin = tool.duplicates === 'join' && [...this.#running].find((other) => isEqual(other.call, call))
    if (twin) return void twin.done.push(done)
    let scope: Scope
    try {
      scope = this.#host.scope.child(`tool ${call.name}`)
    } catch (error) {
      return done(failure(new ToolError('TOOL_CANCELLED', 'the session is closing', { cause: error })))
    }
    const running: Running = {
      call,
      tool,
      before,
      scope,
      task: undefined,
      dueAt: 0,
      timer: undefined,
      filler: undefined,
      approve: undefined,
      done: [done],
    }
    this.#running.add(running)
    this.#arm(running)
    const task = scope.spawn(`input of ${call.name}`, (context) => this.#prepare(running, context))
    if (!running.task) running.task = task
    // Whatever kept it from reading the input, the call has its outcome (TL2).
    task.result.catch((error: unknown) => {
      this.#settle(running, failure(task.outcome === 'failed' ? error : cancelled(call, error)))
      close(scope)
    })
  }

  /** Settles a pending approval (TL8). Returns whether there was one. */
  approve(id: string, approved: boolean): boolean {
    const running = this.#find(id)
    if (!running?.approve) return false
    running.approve(approved)
    running.approve = undefined
    return true
  }

  /** The answer that wanted the result was interrupted: the call is cancelled if it wants that (TL1). */
  interrupt(id: string): void {
    const running = this.#find(id)
    running?.filler?.clear()
    if (running?.tool.onInterrupt === 'cancel') this.#stop(running, 'the agent was interrupted')
  }

  /** The model does not want the result any more. */
  cancel(id: string): void {
    const running = this.#find(id)
    if (running) this.#stop(running, 'the model cancelled the call')
  }

  #find(id: string): Running | undefined {
    return [...this.#running].find(({ call }) => call.id === id)
  }

  /** Reads the input, asks for approval if that is needed, and lets the tool run. */
  async #prepare(running: Running, context: TaskContext): Promise<void> {
    const { call, tool } = running
    try {
      const input = await context.until(parse(call, tool))
      if (tool.needsApproval(input)) await this.#approved(running, input, context)
      if (this.#running.has(running)) this.#run(running, input)
    } catch (error) {
      this.#settle(running, failure(context.cancelled ? cancelled(call, error) : error))
      close(running.scope)
    }
  }

  /** A person decides: that takes as long as it takes, and none of the tool's own time. */
  async #approved(running: Running, input: unknown, context: TaskContext): Promise<void> {
    const { call } = running
    running.timer?.clear()
    running.dueAt = 0
    const answer = new Promise<boolean>((resolve) => {
      running.approve = resolve
    })
    this.#host.approvalWanted(call, input)
    if (await context.until(answer)) return this.#arm(running)
    throw new ToolError('TOOL_REFUSED', `the call of '${call.name}' was not approved`)
  }

  #run(running: Running, input: unknown): void {
    const { call, tool, scope, before } = running
    const tie = tieOf(this.#host, scope, before, (outcome) => this.#settle(running, outcome))
    const task = scope.spawn(call.name, (context) => runTool(tool, input, call, context, tie), {
      shield: tool.finishWithin,
    })
    running.task = task
    this.#armFiller(running)
    // Settled by now, unless the tool never came to run.
    const ended = (outcome: ToolOutcome): void => {
      this.#settle(running, outcome)
      close(scope)
    }
    task.result.then(
      (value) => ended(success(value)),
      (error: unknown) => ended(failure(task.outcome === 'failed' ? error : cancelled(call, error))),
    )
  }

  #arm(running: Running): void {
    const { call, tool, scope } = running
    running.timer?.clear()
    running.dueAt = scope.clock.now() + tool.timeout
    running.timer = scope.after(tool.timeout, `timeout of tool '${call.name}'`, () => {
      const why = `'${call.name}' took longer than ${tool.timeout} ms`
      this.#settle(running, failure(new ToolError('TOOL_TIMEOUT', why)))
      this.#stop(running, why)
    })
  }

  /** Says something into a silence that lasts: not while the words before the tool are heard. */
  #armFiller(running: Running): void {
    const { call, tool, scope, before } = running
    if (!tool.filler) return
    const { say, after } = tool.filler
    running.filler = scope.after(after, `filler of tool '${call.name}'`, () => {
      scope
        .until(before())
        .then(({ how }) => {
          if (how !== 'interrupted' && this.#running.has(running)) this.#host.say(say)
        })
        // It has ended meanwhile: there is nothing to wait for.
        .catch(() => {})
    })
  }

  /** Cancels it. It may take a moment to clean up; after that it is on its own, and goes to `onLate`. */
  #stop({ task, scope }: Running, why: string): void {
    task?.cancel(why)
    close(scope)
  }

  /** The one outcome. Later ones change nothing. */
  #settle(running: Running, outcome: ToolOutcome): void {
    if (!this.#running.delete(running)) return
    running.timer?.clear()
    running.filler?.clear()
    for (const tell of running.done) tell(outcome)
  }
}

function isEqual(one: ToolCall, other: ToolCall): boolean {
  return one.name === other.name && one.input === other.input
}

/** Whatever the tool left running ends with it; nobody waits for that here. */
function close(scope: Scope): void {
  if (scope.state === 'live') scope.close({ reason: 'the tool is done' }).catch(noop)
}
