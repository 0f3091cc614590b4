import type { PartContext, ToolDescription } from '../parts/index.ts'
import { noop, type Scope, type TaskContext } from '../scope/index.ts'
import type { Agent, AgentTask, HookContext } from './agent.ts'
import { bounded } from './bounded.ts'
import { HandoffError, SessionClosedError } from './errors.ts'
import { describeTools, type Tool } from './tool.ts'

/** What the agents of a session need of it. */
export interface AgentsHost {
  readonly scope: Scope<string>
  /** Where hooks run: there they hold nothing back when the session closes (CL4). */
  readonly hooks: Scope<string>
  readonly hookTimeout: number
  /** A scope of its own for a toolset. */
  toolContext(name: string): PartContext
  hookContext(task: TaskContext): HookContext
  /** Lets the current speech finish, within a bound. Never throws. */
  letSpeechFinish(): Promise<void>
  /** The agent has changed: its model must know. */
  changed(from: Agent | undefined, to: Agent, how: 'start' | 'handoff' | 'task'): void
  failed(where: string, error: unknown): void
}

/** An agent on duty. */
interface Duty {
  readonly agent: Agent
  readonly tools: Readonly<Record<string, Tool>>
  readonly descriptions: readonly ToolDescription[]
}

/** An agent that is being made ready, and what it has opened so far. */
interface Preparing {
  readonly duty: Promise<Duty>
  /** Closes its toolsets, whether they are open yet or not. */
  readonly dismiss: () => void
}

/** A place in the chain: the first agent's, or that of a nested task. A handoff changes who stands there. */
interface Post {
  duty: Duty
  dismiss: () => void
  /** For a nested task: settles the promise of whoever runs it. */
  readonly giveUp: (error: unknown) => void
}

/** Who talks to the caller: an agent, or the nested tasks it has sent ahead, innermost last. */
export class Agents {
  readonly #host: AgentsHost
  readonly #posts: Post[] = []

  constructor(host: AgentsHost) {
    this.#host = host
  }

  get current(): Duty {
    return this.#last('talk').duty
  }

  /** Makes the first agent ready. */
  async start(agent: Agent): Promise<void> {
    const { duty, dismiss } = this.#prepare(agent)
    this.#posts.push({ duty: await duty, dismiss, giveUp: noop })
    this.#host.changed(undefined, agent, 'start')
  }

  /** The session is live: the first agent may greet. */
  greet(): void {
    this.#enter(this.current.agent)
  }

  /**
   * Hands the caller over (AG1). The next agent is made ready first, so that one that cannot start changes nothing; then
   * the exit hook, the end of the current speech, and the change itself. Each is bounded (AG3). If the answer that wanted
   * it is interrupted meanwhile (`from`), nothing changes (AG4).
   */
  async handOff(next: Agent, from?: TaskContext): Promise<void> {
    const post = this.#last('hand over')
    const { agent } = post.duty
    const preparing = this.#prepare(next)
    try {
      const duty = await this.#ready(next, preparing)
      const stillWanted = this.#guard(post, from)
      stillWanted()
      await this.exit(agent)
      stillWanted()
      await this.#host.letSpeechFinish()
      stillWanted()
      post.dismiss()
      post.duty = duty
      post.dismiss = preparing.dismiss
    } catch (error) {
      preparing.dismiss()
      throw error
    }
    this.#host.changed(agent, next, 'handoff')
    this.#enter(next)
  }

  /** Lets a nested agent talk until it has its result (AG5), or whoever wanted it (`from`) is cancelled. */
  async run<Result>(task: AgentTask<Result>, from?: TaskContext): Promise<Result> {
    const before = this.#last('run a task').duty.agent
    const { promise, resolve, reject } = withResolvers<Result>()
    const agent = task.agent(resolve)
    const preparing = this.#prepare(agent)
    const post: Post = {
      duty: await this.#nested(preparing, from),
      dismiss: preparing.dismiss,
      giveUp: reject,
    }
    const off = from?.onCancel((reason) => reject(reason))
    this.#posts.push(post)
    this.#host.changed(before, agent, 'task')
    this.#enter(agent)
    try {
      return await promise
    } finally {
      off?.()
      this.#leave(post)
    }
  }

  /** Closing: nested tasks unwind, innermost first, each once; all exit hooks are begun and nobody waits here (CL11). */
  unwind(): void {
    this.#send(this.#posts.splice(0), new SessionClosedError('finish the task', 'closing'))
  }

  /** Runs the exit hook, bounded. Never throws. */
  async exit(agent: Agent): Promise<void> {
    if (agent.onExit) await this.#hook(`exit hook of '${agent.name}'`, agent.onExit)
  }

  /** What a user's turn becomes by the agent's hook. */
  async turn(text: string): Promise<string> {
    const { agent } = this.current
    const { onTurn } = agent
    if (!onTurn) return text
    const changed = await this.#hook(`turn hook of '${agent.name}'`, (context) => onTurn(text, context))
    return typeof changed === 'string' ? changed : text
  }

  #enter(agent: Agent): void {
    if (agent.onEnter) this.#hook(`enter hook of '${agent.name}'`, agent.onEnter).catch(noop)
  }

  #last(what: string): Post {
    const post = this.#posts.at(-1)
    if (!post) throw new SessionClosedError(what, 'closing')
    return post
  }

  /** A nested task is over: it leaves, and with it those it has sent ahead. */
  #leave(post: Post): void {
    const place = this.#posts.indexOf(post)
    if (place < 0) return
    const left = this.#posts.splice(place)
    const { agent } = left.at(-1)!.duty
    this.#send(left, new SessionClosedError('finish the task', 'without the task that wanted it'))
    for (const { dismiss } of left) dismiss()
    this.#host.changed(agent, this.current.agent, 'task')
  }

  #send(away: readonly Post[], error: Error): void {
    for (const { duty, giveUp } of away.toReversed()) {
      this.exit(duty.agent).catch(noop)
      giveUp(error)
    }
  }

  /** What has to be true each time that a handoff has waited for something. */
  #guard(post: Post, from: TaskContext | undefined): () => void {
    const { duty } = post
    return () => {
      if (this.#host.scope.state !== 'live') throw new SessionClosedError('hand over', 'closing')
      if (from?.cancelled) throw from.signal.reason
      if (post.duty !== duty || this.#posts.at(-1) !== post)
        throw new HandoffError(`'${duty.agent.name}' is not on duty any more: another handoff came first`)
    }
  }

  async #ready(next: Agent, { duty }: Preparing): Promise<Duty> {
    const { scope, hookTimeout } = this.#host
    const ready = await bounded(scope, hookTimeout, `handoff to '${next.name}'`, duty)
    if (ready.how === 'done') return ready.value
    if (scope.state !== 'live') throw new SessionClosedError('hand over', 'closing')
    const cause = ready.how === 'failed' ? { cause: ready.error } : {}
    throw new HandoffError(`'${next.name}' could not take over in time`, cause)
  }

  async #nested({ duty, dismiss }: Preparing, from: TaskContext | undefined): Promise<Duty> {
    const { scope } = this.#host
    try {
      return await scope.until(from ? from.until(duty) : duty)
    } catch (error) {
      dismiss()
      throw scope.state === 'live' ? error : new SessionClosedError('run a task', 'closing', { cause: error })
    }
  }

  /**
   * Runs a hook where it holds nothing back when the session closes, and has its own time also then. What it throws, or
   * that it overran, is told and goes no further (CL5).
   */
  async #hook(name: string, hook: (context: HookContext) => unknown): Promise<unknown> {
    const { scope, hooks, hookTimeout } = this.#host
    if (scope.state !== 'live') return undefined
    const task = hooks.spawn(name, async (context) => hook(this.#host.hookContext(context)), {
      phase: 'stores',
      shield: hookTimeout,
    })
    const outcome = await bounded(scope, hookTimeout, `time of ${name}`, task.result)
    if (outcome.how === 'done') return outcome.value
    if (outcome.how === 'failed') this.#host.failed(name, outcome.error)
    else if (scope.state === 'live') {
      task.cancel(`${name} took longer than ${hookTimeout} ms`)
      this.#host.failed(name, new Error(`took longer than ${hookTimeout} ms`))
    }
    return undefined
  }

  #prepare(agent: Agent): Preparing {
    const sets = agent.toolsets.map((set) => ({ set, context: this.#host.toolContext(set.name) }))
    const open = async (): Promise<Duty> => {
      const opened = await Promise.all(sets.map(async ({ set, context }) => set.open(context)))
      const tools = Object.assign({}, ...opened, agent.tools) as Readonly<Record<string, Tool>>
      return { agent, tools, descriptions: describeTools(tools) }
    }
    const duty = open()
    duty.catch(noop)
    const dismiss = (): void => {
      for (const { context } of sets)
        context.scope.close({ reason: `'${agent.name}' is not on duty any more` }).catch(noop)
    }
    return { duty, dismiss }
  }
}

function withResolvers<T>() {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  // Also when nobody is left to wait for it.
  promise.catch(noop)
  return { promise, resolve, reject }
}
