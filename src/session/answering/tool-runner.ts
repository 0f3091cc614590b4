import {
  LimitError,
  noop,
  type Scope,
  type TaskContext,
  type TaskHandle,
  type Timer,
} from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import { ToolError } from '../errors.ts'
import type { Speech } from '../speaking/speech.ts'
import { isAgent, type Agent } from './agent.ts'
import type { Agents } from './agents.ts'
import type { ActiveReply } from './replies.ts'
import { bind, cancelled, failure, parse, runTool, success, type ToolActions } from './tool-call.ts'
import type { Tool, ToolCall, ToolOutcome, ToolPlayout } from './tool.ts'

/** A tool call: its id in the history, and its outcome, which never rejects. */
export interface UsedTool {
  readonly id: string
  readonly outcome: Promise<ToolOutcome>
}

/** A call without an outcome. */
interface Running {
  readonly call: ToolCall
  readonly tool: Tool
  /** Resolves when the words before the tool were heard or interrupted. */
  readonly before: () => Promise<ToolPlayout>
  /** Owns everything that the call does. */
  readonly scope: Scope
  /** Parses the input, then runs the tool. */
  task: TaskHandle<unknown> | undefined
  /** When its timeout ends. 0 while it waits for approval. */
  dueAt: number
  timer: Timer | undefined
  filler: Timer | undefined
  approve: ((approved: boolean) => void) | undefined
  /** Called with the outcome. Has several entries if identical calls share the outcome. */
  readonly done: ((outcome: ToolOutcome) => void)[]
}

/**
 * Runs tool calls: each in its own scope, with a signal and a timeout, and always with exactly one outcome (TL1, TL2).
 *
 *   call ─▶ input parsed ─▶ approved ─▶ runs ─▶ outcome, set synchronously, so that no close can come in between
 *                └─────────────┴─────────┴── cancelled · timed out ─▶ outcome now; a later result goes to onLate
 */
export class ToolRunner {
  readonly #context: SessionContext
  readonly #agents: Agents
  readonly #actions: ToolActions
  readonly #running = new Set<Running>()

  constructor(context: SessionContext, agents: Agents, actions: ToolActions) {
    this.#context = context
    this.#agents = agents
    this.#actions = actions
  }

  /** When the last timeout of a running tool ends. Calls that wait for approval do not count. */
  get busyUntil(): number {
    return Math.max(0, ...[...this.#running].map(({ dueAt }) => dueAt))
  }

  /** Whether any call has no outcome yet. */
  get isBusy(): boolean {
    return this.#running.size > 0
  }

  /**
   * Runs one call of a reply, or refuses it after `maxToolSteps` rounds. The result is added to the history even if nothing
   * waits for it any more (TL4). `speech` holds the words before the call. `first` is the first call of the same answer.
   */
  use(
    reply: ActiveReply,
    call: ToolCall,
    speech: Speech | undefined,
    step: number,
    first?: string,
  ): UsedTool {
    const { history, settings } = this.#context
    const { clock, maxToolSteps } = settings
    const agent = this.#agents.current.agent.name
    const { id } = history.callTool({ ...call, call: call.id, at: clock.date(), agent, with: first })
    if (step >= maxToolSteps) {
      const why = `no more tools in this answer (limit maxToolSteps = ${maxToolSteps}): answer with what you have`
      const refused = { output: why, failed: true, error: new ToolError('TOOL_LIMIT', why) }
      return { id, outcome: Promise.resolve(this.#returned(id, refused)) }
    }
    const off = reply.onInterrupt(() => this.#interrupt(id))
    const outcome = new Promise<ToolOutcome>((resolve) => {
      // With the history's id, because models reuse their ids.
      this.#call({ ...call, id }, speech, (ended) => {
        off()
        resolve(this.#returned(id, ended))
      })
    })
    return { id, outcome }
  }

  /** Approves or refuses a call (TL8). Returns whether it was waiting for approval. */
  approve(id: string, approved: boolean): boolean {
    const running = this.#find(id)
    if (!running?.approve) return false
    running.approve(approved)
    running.approve = undefined
    return true
  }

  /** Cancels a call because the model cancelled it. */
  cancel(id: string): void {
    const running = this.#find(id)
    if (running) this.#stop(running, 'the model cancelled the call')
  }

  /** The session has closed: every call without an outcome was cancelled. The task of one may have ended just now (TL2). */
  end(): void {
    for (const running of this.#running) this.#settle(running, failure(cancelled(running.call)))
  }

  /** The reply that wanted the result was interrupted: cancels the call if it asks for that (TL1). */
  #interrupt(id: string): void {
    const running = this.#find(id)
    running?.filler?.clear()
    if (running?.tool.onInterrupt === 'cancel') this.#stop(running, 'the agent was interrupted')
  }

  #find(id: string): Running | undefined {
    return [...this.#running].find(({ call }) => call.id === id)
  }

  #returned(id: string, outcome: ToolOutcome): ToolOutcome {
    const { history, settings } = this.#context
    const { output, failed, stopped } = outcome
    history.endTool(id, { output, failed, ...(stopped ? { stopped } : {}), at: settings.clock.date() })
    return outcome
  }

  #call(call: ToolCall, speech: Speech | undefined, done: (outcome: ToolOutcome) => void): void {
    const { events, book, turns, settings } = this.#context
    const { id, name, input } = call
    // Read first: a listener may close the session, and the call must still get its outcome.
    const { tools } = this.#agents.current
    const { waiting } = book
    book.toolCalls++
    waiting?.toolStarted(settings.clock.now())
    this.#context.spent()
    const inPage = Object.hasOwn(tools, name) && tools[name]?.inPage
    events.emit('tool', { id, name, input, ...(inPage ? { inPage } : {}) })
    turns.handle({ type: 'tool', running: true })
    this.#start(
      call,
      tools,
      () => playoutBefore(speech),
      (outcome) => {
        done(outcome)
        waiting?.toolEnded(settings.clock.now())
        this.#context.movedAt = settings.clock.now()
        if (outcome.failed) this.#logFailure(name, outcome)
        events.emit('tool-done', { id, name, outcome })
        if (!this.isBusy) turns.handle({ type: 'tool', running: false })
        this.#context.onFinished?.()
      },
    )
  }

  /** The model reads only the error message, so the log gets the whole error. */
  #logFailure(tool: string, { stopped, error }: ToolOutcome): void {
    const { logger, id: session } = this.#context.settings
    if (stopped) logger.info({ session, tool }, `a tool was ${stopped}`)
    else logger.warn({ session, tool, error }, 'a tool failed')
  }

  /** Starts a call. `done` is called exactly once, synchronously with whatever decides the outcome. */
  #start(
    call: ToolCall,
    tools: Readonly<Record<string, Tool>>,
    before: () => Promise<ToolPlayout>,
    done: (outcome: ToolOutcome) => void,
  ): void {
    // The model may write a name that every object has, such as `toString`.
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
      scope = this.#context.scope.child(`tool ${call.name}`)
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
    const task = scope.spawn(`input of ${call.name}`, (self) => this.#prepare(running, self))
    if (!running.task) running.task = task
    // The call gets an outcome even if the input could not be parsed (TL2).
    task.result.catch((error: unknown) => {
      this.#settle(running, failure(task.outcome === 'failed' ? error : cancelled(call, error)))
      close(scope)
    })
  }

  /** Parses the input, waits for approval if needed, and runs the tool. */
  async #prepare(running: Running, task: TaskContext): Promise<void> {
    const { call, tool } = running
    try {
      const input = await task.until(parse(call, tool))
      if (tool.needsApproval(input)) await this.#approved(running, input, task)
      if (this.#running.has(running)) this.#run(running, input)
    } catch (error) {
      this.#settle(running, failure(task.cancelled ? cancelled(call, error) : error))
      close(running.scope)
    }
  }

  /** Waits for approval. A person decides, so the tool's timeout does not run meanwhile. */
  async #approved(running: Running, input: unknown, task: TaskContext): Promise<void> {
    const { id, name } = running.call
    const answer = new Promise<boolean>((resolve) => {
      running.approve = resolve
    })
    this.#context.events.emit('approval', { id, name, input })
    if (await this.#untimed(running, () => task.until(answer))) return
    throw new ToolError('TOOL_REFUSED', `the call of '${name}' was not approved`)
  }

  /** Does work that takes as long as people do. The timeout begins again after it. */
  async #untimed<T>(running: Running, work: () => Promise<T>): Promise<T> {
    running.timer?.clear()
    running.dueAt = 0
    const result = await work()
    if (this.#running.has(running) && running.scope.state === 'live') this.#arm(running)
    return result
  }

  #run(running: Running, input: unknown): void {
    const { call, tool, scope, before } = running
    const settle = (outcome: ToolOutcome): void => this.#settle(running, outcome)
    const binding = bind(this.#context, this.#actions, scope, before, settle, (work) =>
      this.#untimed(running, work),
    )
    const task = scope.spawn(call.name, (self) => runTool(tool, input, call, self, binding), {
      shield: tool.finishWithin,
    })
    running.task = task
    this.#armFiller(running)
    // No-op if the call has its outcome: only a task that never ran has none here.
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

  /** Says the filler if the tool takes long, but not before the words before the tool have been heard. */
  #armFiller(running: Running): void {
    const { call, tool, scope, before } = running
    if (!tool.filler) return
    const { say, after } = tool.filler
    running.filler = scope.after(after, `filler of tool '${call.name}'`, () => {
      scope
        .until(before())
        .then(({ how }) => {
          if (how !== 'interrupted' && this.#running.has(running)) this.#actions.say(say)
        })
        // The tool has ended meanwhile.
        .catch(noop)
    })
  }

  /** Cancels the call. It may take a moment to clean up; a late result goes to `onLate`. */
  #stop({ task, scope }: Running, why: string): void {
    task?.cancel(why)
    close(scope)
  }

  /** Sets the outcome. The first one counts. */
  #settle(running: Running, outcome: ToolOutcome): void {
    if (!this.#running.delete(running)) return
    running.timer?.clear()
    running.filler?.clear()
    for (const done of running.done) done(outcome)
  }
}

export const endlessTools = (maxToolSteps: number): LimitError =>
  new LimitError('maxToolSteps', maxToolSteps, 'an answer called tools without end')

/** The agent that one of these tools returned, to hand the call over to. */
export function nextAgent(outcomes: readonly ToolOutcome[]): Agent | undefined {
  for (const { value } of outcomes) if (isAgent(value)) return value
  return undefined
}

/** Resolves when the words before a tool have been heard, or are interrupted (SP4). */
async function playoutBefore(speech: Speech | undefined): Promise<ToolPlayout> {
  if (!speech) return { how: 'nothing', stopped: true }
  await speech.untilInterrupted()
  if (speech.outcome) return { how: speech.outcome.how, stopped: true }
  return { how: 'interrupted', stopped: false }
}

function isEqual(one: ToolCall, other: ToolCall): boolean {
  return one.name === other.name && one.input === other.input
}

/** Closes everything that the tool left running, without waiting for it. */
function close(scope: Scope): void {
  if (scope.state === 'live') scope.close({ reason: 'the tool is done' }).catch(noop)
}
