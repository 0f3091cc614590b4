import { nearestFormat } from '../../audio/index.ts'
import type { LlmClient, PartContext, ToolDescription, Voice } from '../../parts/index.ts'
import { CancelledError, LimitError, noop, type TaskContext } from '../../scope/index.ts'
import { bounded, type Bounded } from '../bounded.ts'
import { listedPrices } from '../closing/price-list.ts'
import type { SessionContext } from '../context.ts'
import { HandoffError, SessionClosedError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Speaking } from '../speaking/speaking.ts'
import { isAgent, type Agent, type HookContext } from './agent.ts'
import { MessageError, type CallerMessage } from './caller-message.ts'
import { describeTools, type NestedTask, type Tool } from './tool.ts'

/** An agent whose toolsets and own models are open. */
interface ReadyAgent {
  readonly agent: Agent
  /** Its own model. Undefined if it uses the session's. */
  readonly llm: LlmClient | undefined
  /** Its own voice. Undefined if it uses the session's. */
  readonly voice: Voice | undefined
  readonly tools: Readonly<Record<string, Tool>>
  readonly descriptions: readonly ToolDescription[]
}

/** An agent whose toolsets and models are being opened. */
interface Opening {
  readonly ready: Promise<ReadyAgent>
  /** Closes its toolsets and models, whether they are open yet or not. */
  readonly close: () => void
}

/** A level of the stack: the first agent, or a nested task. A handoff replaces the agent of its level. */
interface Level {
  current: ReadyAgent
  close: () => void
  /** For a nested task: rejects the promise that `run` returned. */
  readonly reject?: (error: unknown) => void
}

/** The stack of agents: the first agent at the bottom, the nested tasks it runs above it. The top one talks to the caller. */
export class Agents {
  readonly #context: SessionContext
  readonly #speaking: Speaking
  readonly #stack: Level[] = []
  /** Called when another agent is in charge. */
  onChange: () => void = noop

  constructor(context: SessionContext, speaking: Speaking) {
    this.#context = context
    this.#speaking = speaking
  }

  get current(): ReadyAgent {
    const level = this.#stack.at(-1)
    if (!level) throw new SessionClosedError('talk', 'closing')
    return level.current
  }

  /** Opens the toolsets and models of the first agent. */
  async open(agent: Agent): Promise<void> {
    const { ready, close } = this.#open(agent)
    this.#stack.push({ current: await ready, close })
    this.#changed()
  }

  /** The session is live: the first agent may greet, or apologise to a caller who was cut off. */
  greet(): void {
    const { agent } = this.current
    if (!this.#context.settings.resumed) this.#enter(agent)
    else if (agent.onResume) this.#hook(`resume hook of '${agent.name}'`, agent.onResume).catch(noop)
  }

  /**
   * Hands the caller over (AG1). The next agent's toolsets and models are opened first, so that an agent that cannot start changes
   * nothing; then come the exit hook, the end of the current speech, and the change itself. Each is bounded (AG3). If the
   * reply that requested the handoff (`from`) is interrupted meanwhile, nothing changes (AG4).
   */
  async handOff(next: Agent, from?: TaskContext): Promise<void> {
    const { history, events, settings } = this.#context
    const level = this.#top('hand over')
    if (!isAgent(next))
      throw new HandoffError('the next agent is not an Agent: make it with new Agent({ … })')
    this.#assertNoCircle()
    const { agent } = level.current
    const opening = this.#open(next)
    try {
      const ready = await this.#ready(next, opening)
      const assertWanted = this.#guard(level, from)
      assertWanted()
      await this.exit(agent)
      assertWanted()
      await this.#speechEnded(next)
      assertWanted()
      level.close()
      level.current = ready
      level.close = opening.close
    } catch (error) {
      opening.close()
      throw error
    }
    this.#changed()
    const names = { from: agent.name, to: next.name }
    history.handOff({ ...names, at: settings.clock.date() })
    events.emit('handoff', names)
    this.#enter(next)
  }

  /** Lets a nested agent talk until it has a result (AG5), or until the task that requested it (`from`) is cancelled. */
  async run<Result>(task: NestedTask<Result>, from?: TaskContext): Promise<Result> {
    this.#top('run a task')
    this.#assertNoCircle()
    const { promise, resolve, reject } = withResolvers<Result>()
    const agent = task.agent(resolve)
    if (!isAgent(agent)) throw new HandoffError(`'${task.name}' is not an AgentTask`)
    const { ready, close } = this.#open(agent)
    const level: Level = { current: await this.#nested(ready, close, from), close, reject }
    const off = from?.onCancel((reason) => reject(reason))
    this.#stack.push(level)
    this.#changed()
    this.#enter(agent)
    try {
      return await promise
    } finally {
      off?.()
      this.#leave(level)
    }
  }

  /** Closing: nested tasks unwind, innermost first, each once. All exit hooks begin, and nothing waits here (CL11). */
  unwind(): void {
    for (const { current, reject } of this.#stack.splice(0).toReversed()) {
      if (current.agent.onExit) this.exit(current.agent).catch(noop)
      // With a cause that says so: a tool that throws this was cancelled and has not failed (SC10).
      const cause = new CancelledError('the session is closing')
      reject?.(new SessionClosedError('finish the task', 'closing', { cause }))
    }
  }

  /** Runs the exit hook, bounded. Never rejects. */
  async exit(agent: Agent): Promise<void> {
    if (agent.onExit) await this.#hook(`exit hook of '${agent.name}'`, agent.onExit)
  }

  /** Runs the user's text through `onTurn`. */
  async turn(text: string): Promise<string> {
    const { agent } = this.current
    const { onTurn } = agent
    if (!onTurn) return text
    const changed = await this.#hook(`turn hook of '${agent.name}'`, (context) => onTurn(text, context))
    return typeof changed === 'string' ? changed : text
  }

  /** Has the agent in charge answer a message of the caller's program. Rejects if it has no handler, or if that fails or is late. */
  async message(message: CallerMessage): Promise<unknown> {
    const { agent } = this.#top('take a message').current
    const { onMessage } = agent
    if (!onMessage) throw new MessageError(agent.name, true)
    const name = `message hook of '${agent.name}'`
    const outcome = await this.#run(name, (context) => onMessage(message, context), limits.messageAnswer)
    if (outcome.how !== 'done') throw new MessageError(agent.name, false)
    return outcome.value
  }

  /** Agents that hand over in a circle would never stop (AG6). */
  #assertNoCircle(): void {
    if (++this.#context.book.handoffs <= limits.handoffs) return
    const what = 'agents hand over, or run tasks, again and again without a turn of the caller'
    throw new LimitError('handoffs', limits.handoffs, what)
  }

  /** Waits for the end of the current speech, but not forever (AG3). */
  async #speechEnded(next: Agent): Promise<void> {
    const { scope } = this.#context
    const what = `handoff to '${next.name}' waits for the speech`
    const outcome = await bounded(scope, limits.handoffWait, what, this.#speaking.finished())
    if (outcome.how !== 'late' || scope.state !== 'live') return
    throw new HandoffError(
      `'${next.name}' could not take over: the agent spoke for ${limits.handoffWait} ms more`,
    )
  }

  #enter(agent: Agent): void {
    if (agent.onEnter) this.#hook(`enter hook of '${agent.name}'`, agent.onEnter).catch(noop)
  }

  #top(what: string): Level {
    const level = this.#stack.at(-1)
    if (!level) throw new SessionClosedError(what, 'closing')
    return level
  }

  /** A nested task has ended: it leaves the stack, with the tasks it was running. */
  #leave(level: Level): void {
    const place = this.#stack.indexOf(level)
    if (place < 0) return
    for (const { current, reject, close } of this.#stack.splice(place).toReversed()) {
      this.exit(current.agent).catch(noop)
      reject?.(new SessionClosedError('finish the task', 'live, but the task that ran this one has ended'))
      close()
    }
    this.#changed()
  }

  /** Another agent is in charge. */
  #changed(): void {
    const { agent, voice } = this.current
    if (voice) this.#speaking.voices.set(agent, voice)
    this.onChange()
  }

  /** Returns a check to run after each wait of a handoff: it throws if the handoff must not go on. */
  #guard(level: Level, from: TaskContext | undefined): () => void {
    const { current } = level
    return () => {
      if (!this.#context.isOpen) throw new SessionClosedError('hand over', 'closing')
      if (from?.cancelled) throw from.signal.reason
      if (level.current !== current || this.#stack.at(-1) !== level)
        throw new HandoffError(`'${current.agent.name}' is no longer in charge: another handoff came first`)
    }
  }

  async #ready(next: Agent, { ready }: Opening): Promise<ReadyAgent> {
    const { scope, settings } = this.#context
    const outcome = await bounded(scope, settings.hookTimeout, `handoff to '${next.name}'`, ready)
    if (outcome.how === 'done') return outcome.value
    if (scope.state !== 'live') throw new SessionClosedError('hand over', 'closing')
    const cause = outcome.how === 'failed' ? { cause: outcome.error } : {}
    throw new HandoffError(`'${next.name}' could not take over in time`, cause)
  }

  async #nested(
    ready: Promise<ReadyAgent>,
    close: () => void,
    from: TaskContext | undefined,
  ): Promise<ReadyAgent> {
    const { scope } = this.#context
    try {
      return await scope.until(from ? from.until(ready) : ready)
    } catch (error) {
      close()
      throw scope.state === 'live' ? error : new SessionClosedError('run a task', 'closing', { cause: error })
    }
  }

  /**
   * Runs a hook in the last phase of a close, where it delays nothing else and still has its own time. If it throws or
   * takes too long, that is reported and has no other effect (CL5).
   */
  async #hook(name: string, hook: (context: HookContext) => unknown): Promise<unknown> {
    const outcome = await this.#run(name, hook, this.#context.settings.hookTimeout)
    return outcome.how === 'done' ? outcome.value : undefined
  }

  async #run(
    name: string,
    hook: (context: HookContext) => unknown,
    hookTimeout: number,
  ): Promise<Bounded<unknown>> {
    const { scope, stores } = this.#context
    if (scope.state !== 'live') return { how: 'late' }
    const task = stores.spawn(name, async (self) => hook(this.#hookContext(self)), {
      phase: 'stores',
      shield: hookTimeout,
    })
    let outcome = await bounded(scope, hookTimeout, `time of ${name}`, task.result)
    // Who answered may be known only after a while: the time of the hook begins again then (MD1).
    while (outcome.how === 'late' && scope.state === 'live' && this.#context.patience) {
      await scope.until(this.#context.patience).catch(noop)
      outcome = await bounded(scope, hookTimeout, `time of ${name}`, task.result)
    }
    if (outcome.how === 'failed') this.#context.failed(name, outcome.error)
    else if (outcome.how === 'late' && scope.state === 'live') {
      task.cancel(`${name} took longer than ${hookTimeout} ms`)
      this.#context.failed(name, new Error(`took longer than ${hookTimeout} ms`))
    }
    return outcome
  }

  #hookContext(task: TaskContext): HookContext {
    const { session, ends } = this.#context
    const close: HookContext['close'] = (options) =>
      ends.close({ ...options, reason: options?.reason ?? 'requested', from: task })
    return { session, signal: task.signal, close }
  }

  #open(agent: Agent): Opening {
    const sets = agent.toolsets.map((set) => ({ set, context: this.#context.toolset(set.name) }))
    const models = agent.llm || agent.tts ? this.#context.links(`models of '${agent.name}'`) : undefined
    const { priceList } = this.#context.settings
    if (agent.prices) this.#context.book.addPrices(agent.prices)
    if (priceList) this.#context.book.addPrices(listedPrices(priceList, [agent.llm, agent.tts]))
    let opened: ReadyAgent | undefined
    const open = async (): Promise<ReadyAgent> => {
      const [toolsets, llm, voice] = await Promise.all([
        Promise.all(sets.map(async ({ set, context }) => set.open(context))),
        models && this.#openLlm(agent, models),
        models && this.#openVoice(agent, models),
      ])
      const tools = Object.assign({}, ...toolsets, agent.tools) as Readonly<Record<string, Tool>>
      opened = { agent, llm, voice, tools, descriptions: describeTools(tools) }
      return opened
    }
    const ready = open()
    ready.catch(noop)
    const close = (): void => {
      const reason = `'${agent.name}' is no longer in charge`
      for (const { context } of sets) context.scope.close({ reason }).catch(noop)
      if (models) this.#closeModels(models, opened, reason).catch(noop)
    }
    return { ready, close }
  }

  async #openLlm({ name, llm }: Agent, context: PartContext): Promise<LlmClient | undefined> {
    if (!llm) return undefined
    if (this.#context.settings.models.realtime)
      throw new HandoffError(`'${name}' has an llm of its own, but a realtime model answers in this session`)
    return this.#context.opened(`llm of '${name}'`, llm.open(this.#context.counting(context, llm)), [
      'generate',
    ])
  }

  async #openVoice({ name, tts }: Agent, context: PartContext): Promise<Voice | undefined> {
    const { line, models } = this.#context.settings
    if (!tts) return undefined
    if (!models.tts)
      throw new HandoffError(`'${name}' has a tts of its own, but a realtime model speaks in this session`)
    const format = nearestFormat(line.speaks, tts.speaks)
    return this.#context.opened(
      `tts of '${name}'`,
      tts.open(this.#context.counting(context, tts), { format }),
      ['speak'],
    )
  }

  /** Closes the models of an agent, after its last speech if they were open: a nested task ends as soon as it has a result. */
  async #closeModels({ scope }: PartContext, opened: ReadyAgent | undefined, reason: string): Promise<void> {
    if (opened) {
      const { voices } = this.#speaking
      if (opened.voice && voices.get(opened.agent) === opened.voice) voices.delete(opened.agent)
      await this.#speaking.finished()
    }
    await scope.close({ reason })
  }
}

function withResolvers<T>() {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  // The promise may reject when nothing awaits it any more.
  promise.catch(noop)
  return { promise, resolve, reject }
}
