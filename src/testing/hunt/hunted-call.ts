import { describeError, liveScopes, noop } from '../../scope/index.ts'
import type { SessionReport } from '../../session/index.ts'
import { Activity } from '../activity.ts'
import { callEnds, type EndableCall } from '../call-ends.ts'
import { StuckError } from '../pace.ts'
import type { SimClock } from '../sim-clock.ts'
import { SimRandom } from '../sim-random.ts'
import type { TestLine } from '../test-line.ts'
import { VirtualTime } from '../virtual-time.ts'
import { huntedLine, scriptedModels, type ScriptedModels } from './call-models.ts'
import type { CallRecord, CallerWait } from './call-record.ts'
import type { CodeRun, Patience } from './code-run.ts'
import { linesOf } from './conversation.ts'
import { PlayedModel } from './played-model.ts'
import { describeCase, type HuntCase } from './hunt-case.ts'
import type { HuntWorld, PlayOptions } from './hunt-world.ts'
import { HuntedAgents, HuntedSession } from './hunted-agent.ts'
import { HuntedCode } from './hunted-code.ts'
import { HuntedFile } from './hunted-file.ts'
import { limits } from './limits.ts'
import { RealWork } from './real-work.ts'
import { Servers } from './servers.ts'
import { CallStory } from './call-story.ts'
import { realNow, realSleep } from './virtual-globals.ts'
import { WaitPlaces } from './wait-places.ts'

/** The patience for functions in a replay. */
const longest: Patience = { seen: limits.realTime, unseen: limits.longPatience }

/** One call of a hunt: the agent of the file, with scripted models, a caller who follows a script, and virtual time. */
export class HuntedCall implements EndableCall {
  readonly session: HuntedSession
  readonly line: TestLine
  readonly #case: HuntCase
  readonly #world: HuntWorld
  readonly #time: VirtualTime
  readonly #story: CallStory
  readonly #code: HuntedCode
  readonly #file: HuntedFile
  readonly #real: RealWork
  readonly #model: PlayedModel
  readonly #models: ScriptedModels
  readonly #activity: Activity
  readonly #places: WaitPlaces | undefined
  readonly #scopesBefore = new Set(liveScopes.list())
  readonly #waits: CallerWait[] = []
  readonly #reports: SessionReport[] = []
  readonly #toolErrors = new Map<string, string>()
  readonly #waitedAt = new Map<CodeRun, string>()
  /** The name of the agent that has the call. */
  #agent: string
  #closingAt: number | undefined
  #isEndedByHunt = false
  #startError: unknown
  #lastTurn = Infinity
  #longestBlock = 0

  constructor(one: HuntCase, world: HuntWorld, options: PlayOptions = {}) {
    this.#case = one
    this.#world = world
    const { conversation, trouble = { name: '' } } = one
    const { parts = {}, servers } = trouble
    // The same for all cases of a conversation, so that only what the case does makes a difference.
    const random = new SimRandom(world.seed)
    this.#time = new VirtualTime({
      maxEvents: limits.events,
      ...(world.epoch === undefined ? {} : { epoch: world.epoch }),
      waitForReal: (clock) => this.#real.wait(clock),
      turned: () => this.#turned(),
    })
    this.#places = options.traced ? new WaitPlaces() : undefined
    this.#story = new CallStory(this.clock, () => this.#code.running.size > 0)
    this.#code = new HuntedCode({
      clock: this.clock,
      random,
      servers: new Servers(random, world.fetch, servers),
      patience: (label) => (options.patient ? { ...longest } : world.real.patience(label)),
      stacks: options.traced ?? false,
      online: world.online,
      open: world.open,
      onStart: ({ label }) => this.#story.anchor(`${label} begins`),
      onEnd: (run) => this.#story.ended(run),
      onCancel: (run) => this.#cancelled(run),
      onWait: ({ label }, what) => this.#story.anchor(`${label} waits`, what),
    })
    this.#file = new HuntedFile(world.file, this.#code, `hunt-${world.seed}-${one.number}`)
    this.#real = new RealWork(this.#code, world.real)
    this.#model = new PlayedModel(conversation.path, world.inputs, random)
    this.#models = scriptedModels(this.#model, world.isRealtime, parts)
    this.#activity = new Activity(noop)
    this.line = huntedLine(() => this.clock, parts)
    const waits = (call: string, isWaiting: boolean): void =>
      this.#activity.waits(call, isWaiting ? 'caller' : undefined)
    const wait = (ms: number): Promise<void> => this.clock.elapse(ms)
    const agents = new HuntedAgents(this.#code, world.mocks, wait, waits)
    const agent = this.#file.agent(conversation.direction)
    this.#agent = agent.name
    this.session = new HuntedSession(
      {
        ...this.#file.sessionOptions(world.keepsTurns),
        agent,
        models: this.#models.models,
        line: this.line,
        id: this.#file.call,
        clock: this.clock,
        random,
        intercept: this.#activity.counting((_, run) => run),
      },
      agents,
      this.#code,
    )
    this.#watch()
  }

  get clock(): SimClock {
    return this.#time.clock
  }

  failModel(): void {
    this.#models.fail()
  }

  async track<T>(_: string, promise: Promise<T>): Promise<T | undefined> {
    return promise.catch(() => undefined)
  }

  /** Plays the call, and what happens after it. */
  async play(): Promise<CallRecord> {
    let stuck: string | undefined
    this.#places?.start()
    try {
      await this.#converse()
      await this.#end()
      await this.#afterwards()
    } catch (error) {
      if (!(error instanceof StuckError)) throw error
      stuck = error.message
      await this.#time.run(this.session.close()).catch(noop)
    } finally {
      this.#places?.stop()
    }
    const record = this.#record(stuck)
    this.#endLeftovers()
    return record
  }

  /** Ends what the agent's code has left open, except for a few connections, which calls may share. */
  #endLeftovers(): void {
    const { open } = this.#world
    const sockets = [...open].filter(({ kind }) => kind === 'socket')
    const spared = new Set(sockets.slice(-limits.leftOpen))
    for (const opened of open) if (!spared.has(opened)) opened.abort()
  }

  // ── the caller ──

  async #converse(): Promise<void> {
    this.session.start().catch((error: unknown) => (this.#startError = error))
    this.#story.anchor('the call begins')
    await this.#untilIdle()
    for (const line of linesOf(this.#case.conversation)) {
      if (this.#isOver) return
      this.#story.anchor('the caller has a turn', line)
      if (this.#case.conversation.isSpoken) await this.#speak(line)
      else this.line.caller.types(line)
      await this.#untilIdle()
    }
  }

  async #speak(line: string): Promise<void> {
    const { caller } = this.line
    await this.#time.run(caller.says(line))
    if (!this.#isOver) await this.#time.run(caller.pauses(1_000))
  }

  get #isOver(): boolean {
    return this.session.state === 'closing' || this.session.state === 'closed'
  }

  /** Waits until only the caller can make something happen, for a limited time. */
  async #untilIdle(): Promise<void> {
    let waited = false
    const timer = this.clock.happen(limits.turn, 'the caller waits', () => (waited = true))
    const hasBegun = (): boolean => this.session.state !== 'new' || this.#startError !== undefined
    await this.#time.until(() => waited || this.#isOver || (hasBegun() && this.#activity.idle), {
      what: 'the end of a turn',
    })
    timer.clear()
  }

  // ── the end ──

  /** Does what the case is about, at its moment. */
  #act(): void {
    const { act } = this.#case
    if (this.#isOver) return
    this.#story.tell(`── ${describeCase(this.#case)}`)
    if (act === 'interrupts') {
      this.#model.repeat()
      if (this.line.counts.opened > 0) this.line.caller.types('Hello? Are you there?')
      return
    }
    this.#isEndedByHunt = true
    // A caller can hang up only once there is a line; before that, the host closes the session.
    const canEnd = this.line.counts.opened > 0 || !/^(hangs-up|vanishes)$/.test(act)
    if (!canEnd || !callEnds[act]!.end(this)) this.session.close().catch(noop)
  }

  async #end(): Promise<void> {
    if (!this.#isOver) {
      this.#isEndedByHunt = true
      this.#story.anchor('the caller hangs up')
      if (this.line.counts.opened > 0) this.line.caller.hangsUp()
      else this.session.close().catch(noop)
    }
    await this.#time.until(() => this.session.state === 'closed', { what: 'the end of the session' })
    await this.#time.run(this.session.afterCall)
  }

  /** Runs after-call handlers, and lets what is left of the agent's code go on for a while. */
  async #afterwards(): Promise<void> {
    const [report] = this.#reports
    const { afterCall } = this.#world.file
    if (report && afterCall && this.#case.withHandlers)
      await this.#file.runHandlers(report, afterCall, this.#time)
    let isOver = false
    const timer = this.clock.happen(
      limits.afterwards,
      'the hunt has waited long enough',
      () => (isOver = true),
    )
    const isQuiet = (): boolean =>
      this.#code.running.size === 0 && this.#code.runs.every(({ timers }) => timers.size === 0)
    await this.#time.until(() => isOver || isQuiet(), { what: 'the end of the agent’s code' })
    timer.clear()
    await this.#lingering()
  }

  /** What was closed a moment ago needs real time to be gone. A function that is known to leave something gets none. */
  async #lingering(): Promise<void> {
    const { leaks } = this.#world
    const isOpen = (): boolean =>
      this.#code.runs.some(({ label, opened }) => opened.size > 0 && !leaks.has(label))
    const until = realNow() + limits.lingering
    while (isOpen() && realNow() < until) await realSleep(1)
    for (const { label, opened } of this.#code.runs) if (opened.size > 0) leaks.add(label)
  }

  // ── watching ──

  #watch(): void {
    const { session } = this
    const { moment } = this.#case
    if (moment)
      this.#story.on(
        moment,
        () => void this.clock.happen(moment.after, 'the moment of the case', () => this.#act()),
      )
    this.#activity.watch(session)
    session.on('state', ({ state }) => {
      if (state === 'closing') this.#closingAt ??= this.clock.now()
      this.#story.tell(`the session is ${state}`)
    })
    session.on('user', ({ text }) => {
      this.#waits.push({ from: this.clock.now(), to: undefined, isTurn: true })
      this.#story.anchor('the model is asked', text)
    })
    session.on('tool', ({ name, input }) => this.#story.tell(`the model calls ${name} ${input}`))
    session.on('tool-done', ({ name, outcome }) => {
      if (outcome.failed) this.#toolErrors.set(name, outcome.output)
    })
    session.on('speaking', ({ speech }) => {
      for (const wait of this.#waits) wait.to ??= this.clock.now()
      this.#story.anchor('the agent speaks', speech.text)
    })
    session.on('spoken', ({ outcome }) => {
      // The caller waits on if a tool is still running.
      if ([...this.#code.running].some(({ kind }) => kind === 'tool'))
        this.#waits.push({ from: this.clock.now(), to: undefined, isTurn: false })
      const { how, heard } = outcome
      this.#story.anchor('the agent has spoken', how === 'played' ? undefined : `${how} after '${heard}'`)
    })
    session.on('approval', ({ id }) => {
      this.clock.happen(limits.approval, 'a person approves', () => session.approve(id, true))
    })
    session.on('handoff', ({ to }) => {
      this.#agent = to
      this.#story.tell(`agent '${to}' takes over`)
    })
    session.on('error', ({ where, error }) =>
      this.#story.tell(`error: ${where}: ${describeError(error).message}`),
    )
    session.on('closed', (report) => this.#reports.push(report))
  }

  #turned(): void {
    const now = realNow()
    this.#longestBlock = Math.max(this.#longestBlock, now - this.#lastTurn)
    this.#lastTurn = now
  }

  #cancelled(run: CodeRun): void {
    run.isClosed = this.#isOver && run.kind !== 'after-call'
    this.#story.tell(`${run.label} is asked to stop`)
    const stack = this.#places?.of(run)
    if (stack !== undefined) this.#waitedAt.set(run, stack)
  }

  #record(stuck: string | undefined): CallRecord {
    const { runs, uncaught } = this.#code
    return {
      case: this.#case,
      runs,
      uncaught,
      anchors: this.#story.anchors,
      waits: this.#waits,
      longestBlock: this.#longestBlock,
      scopes: liveScopes
        .list()
        .filter((scope) => !this.#scopesBefore.has(scope))
        .map(({ name }) => name),
      reports: this.#reports,
      closingAt: this.#closingAt,
      isEndedByHunt: this.#isEndedByHunt,
      stuck,
      startError: this.#startError,
      endedAt: this.clock.now(),
      waited: this.#real.spent,
      tools: [...this.#model.tools.keys()],
      toolErrors: this.#toolErrors,
      agent: this.#agent,
      story: this.#story.text,
      waitsAt: this.#waitsAt(),
      left: runs.flatMap((run) => [...run.opened].map(([{ name }, stack]) => ({ run, name, stack }))),
    }
  }

  /** Where each function that was asked to stop, or still runs, was waiting. */
  #waitsAt(): ReadonlyMap<CodeRun, string> {
    const now = [...this.#code.running].flatMap((run): [CodeRun, string][] => {
      const stack = this.#places?.of(run)
      return stack === undefined ? [] : [[run, stack]]
    })
    return new Map([...this.#waitedAt, ...now])
  }
}
