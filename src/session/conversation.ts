import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { LineConnection, RealtimeEvents, Usage } from '../parts/index.ts'
import { noop, type Scope, type TaskContext, type TaskHandle } from '../scope/index.ts'
import type { Agent } from './agent.ts'
import { Agents, type AgentsHost } from './agents.ts'
import { Chain, type OpenChain } from './chain.ts'
import { SessionClosedError, UninterruptibleError } from './errors.ts'
import type { SessionEvents } from './events.ts'
import { GuardrailRunner, defaultRefusal, type Objection } from './guardrails.ts'
import type { History, UserWords } from './history.ts'
import { LastWords } from './last-words.ts'
import type { Mind } from './mind.ts'
import { RealtimeMind, type OpenRealtime } from './realtime-mind.ts'
import type { Reply } from './reply.ts'
import type { TurnReport } from './report.ts'
import type { Speaker } from './speaker.ts'
import type { PlayoutOutcome, Speech, SpeechOptions } from './speech.ts'
import { once } from './stages.ts'
import type { Preparation } from './thinker.ts'
import { ToolRunner, type ToolCall, type ToolHost, type ToolOutcome } from './tool-runner.ts'
import type { ToolPlayout } from './tool.ts'
import type { CommitCommand, PendingWords } from './turn-events.ts'
import type { TurnOptions } from './turn-options.ts'
import { Turns } from './turns.ts'
import { Utterances, type Sound } from './utterances.ts'

/** The parts of a conversation, opened. */
export interface OpenParts {
  readonly line: LineConnection
  readonly lineRate: SampleRate
  readonly models: OpenChain | OpenRealtime
}

/** What a conversation needs of the session around it. */
export interface ConversationHost {
  readonly scope: Scope<string>
  readonly history: History
  readonly playoutTimeout: number
  readonly stallTimeout: number
  readonly maxToolSteps: number
  readonly turns: TurnOptions
  readonly agents: Omit<AgentsHost, 'scope' | 'letSpeechFinish' | 'changed'>
  readonly tools: Pick<ToolHost, 'hangUp' | 'close' | 'late'>
  emit<Name extends keyof SessionEvents & string>(name: Name, data: SessionEvents[Name]): void
  failed(where: string, error: unknown): void
  used(usage: Usage): void
  calledTool(): void
  /** The model is told, and goes on; somebody may want to know why. */
  toolFailed(name: string, error: unknown): void
  /** Something has moved: an ending session is not stuck (CL3). */
  progress(): void
  userIdle(): void
  userActive(): void
  /** A frame of the agent is expected to be heard at a moment. */
  played(frame: AudioFrame, at: number): void
  /** The agent's sound went on for so long after it was cleared. */
  wentOn(ms: number): void
}

/**
 * A conversation with one caller. One utterance goes through it in one direction:
 *
 *   hear ─▶ mind: vad, stt ─▶ turns ─▶ #commit ─▶ #answer ─▶ mind: thinker ─▶ utterances ─▶ speaker ─▶ line
 *
 * With a realtime model, the turns and the thinking are the model's:
 *
 *   hear ─▶ mind: model ─▶ heard, and answers ─▶ utterances ─▶ speaker ─▶ line
 *
 * Interruption goes the other way as one synchronous call: turns ─▶ interrupt ─▶ speech ─▶ line.clear().
 */
export class Conversation {
  readonly agents: Agents
  readonly tools: ToolRunner
  readonly turnReports: TurnReport[] = []
  readonly #host: ConversationHost
  readonly #utterances: Utterances
  readonly #turns: Turns
  readonly #mind: Mind
  readonly #guardrails: GuardrailRunner
  readonly #lastWords = new LastWords()
  /** The speech that the turns know to sound. */
  #audible: Speech | undefined
  readonly #startedAt: number
  #prepared: Preparation | undefined
  #turn: TaskHandle<unknown> | undefined
  #turnCount = 0
  /** When the user stopped, until the answer is heard. */
  #waitingSince: number | undefined
  readonly #onIdle = new Set<() => void>()
  /** What a realtime model tells; a chain has none. */
  readonly model: RealtimeEvents | undefined

  constructor(host: ConversationHost, { line, lineRate, models }: OpenParts) {
    const { scope, history } = host
    this.#host = host
    this.#startedAt = scope.clock.now()
    this.#guardrails = new GuardrailRunner(scope, (where, error) => host.failed(where, error))
    this.#utterances = new Utterances({
      scope,
      history,
      line,
      lineRate,
      playoutTimeout: host.playoutTimeout,
      stallTimeout: host.stallTimeout,
      pauses: host.turns.falseInterruption !== undefined,
      guardrails: this.#guardrails,
      objectionTo: (speech) => this.#objection('output', () => stop(speech)),
      started: (speech) => this.#sounding(speech),
      ended: (speech, outcome) => this.#spoken(speech, outcome),
      played: (frame, at) => {
        host.progress()
        host.played(frame, at)
      },
      wentOn: (ms) => host.wentOn(ms),
      progress: () => host.progress(),
    })
    this.agents = new Agents({
      ...host.agents,
      scope,
      letSpeechFinish: () => this.letSpeechFinish(),
      changed: (from, to, how) => {
        this.#mind.agentChanged()
        if (from && how === 'handoff') {
          history.handOff({ from: from.name, to: to.name, at: scope.clock.date() })
          host.emit('handoff', { from: from.name, to: to.name })
        }
      },
    })
    this.tools = new ToolRunner({
      scope,
      say: (text) => this.say(text),
      progress: ({ id, name }, update) => {
        host.progress()
        host.emit('progress', { id, name, update })
      },
      approvalWanted: ({ id, name }, input) => host.emit('approval', { id, name, input }),
      run: (task, from) => this.agents.run(task, from),
      hangUp: (options, from) => host.tools.hangUp(options, from),
      close: (options) => host.tools.close(options),
      late: host.tools.late,
    })
    const mindHost = this.#mindHost()
    if (models.kind === 'chain') this.#mind = new Chain(mindHost, models, lineRate)
    else this.#mind = this.model = new RealtimeMind(mindHost, models, lineRate)
    this.#turns = new Turns(scope, host.turns, {
      flushStt: () => this.#mind.flush(),
      judge: (text) => this.#judge(text),
      preempt: (text) => {
        this.#prepared = this.#mind.prepare(text)
      },
      discardPreempt: () => this.#discard(),
      commit: (turn) => this.#commit(turn),
      interrupt: () => this.#stop(false),
      pause: () => this.speaker.pause(),
      resume: () => this.speaker.resume(),
      digits: (digits) => host.emit('digits', { digits }),
      userState: (state) => {
        if (state !== 'silent') host.userActive()
      },
      userIdle: () => host.userIdle(),
    })
  }

  get speaker(): Speaker {
    return this.#utterances.speaker
  }

  #mindHost() {
    const { scope, history, maxToolSteps } = this.#host
    return {
      scope,
      history,
      maxToolSteps,
      agent: () => ({ agent: this.agents.current.agent, tools: this.agents.current.descriptions }),
      speak: (text: AsyncIterable<string>, options?: SpeechOptions) =>
        this.#speak(text, options, { placed: true }),
      utter: (sound: Sound, options?: SpeechOptions) =>
        this.#utterances.utter(this.agents.current.agent, sound, options, { placed: true }),
      callTool: (call: ToolCall, before: () => Promise<ToolPlayout>, done: (outcome: ToolOutcome) => void) =>
        this.#callTool(call, before, done),
      interruptTool: (id: string) => this.tools.interrupt(id),
      cancelTool: (id: string) => this.tools.cancel(id),
      handOff: (to: Agent, from: TaskContext) => this.agents.handOff(to, from),
      used: (usage: Usage) => this.#host.used(usage),
      changed: (reply: Reply) => this.#thinking(reply),
      expected: () => this.#settleIdle(),
      userStarted: () => this.userStarted(0),
      userStopped: () => {
        this.userStopped(0)
        this.#waitingSince = scope.clock.now()
      },
      interim: (text: string) => this.interim(text),
      heard: (text: string, place: UserWords | undefined, stops: () => boolean) =>
        this.#heard(text, place, stops),
    }
  }

  // ── what comes from the line and the models ──

  live(): void {
    this.#mind.takesTurns(true)
    this.speaker.patient = false
    this.#turns.tell({ type: 'live' })
  }

  /** The caller's sound. */
  hear(frame: AudioFrame): void {
    this.#mind.hear(frame)
  }

  typed(text: string): void {
    this.#turns.tell({ type: 'typed', text })
  }

  pressed(digit: string): void {
    this.#turns.tell({ type: 'digit', digit })
  }

  userStarted(ago: number): void {
    this.#turns.tell({ type: 'user-started', since: this.#host.scope.clock.now() - ago })
  }

  userStopped(ago: number): void {
    this.#turns.tell({ type: 'user-stopped', since: this.#host.scope.clock.now() - ago })
  }

  interim(text: string): void {
    this.#host.emit('hearing', { text })
    this.#turns.tell({ type: 'interim', text })
  }

  final(text: string): void {
    this.#turns.tell({ type: 'final', text })
    this.#checkLastWords()
  }

  endOfTurn(): void {
    this.#turns.tell({ type: 'end-of-turn' })
  }

  // ── what the session is asked to do ──

  say(text: string | AsyncIterable<string>, options?: SpeechOptions): Speech {
    if (this.#host.scope.state !== 'live') throw new SessionClosedError('say anything', 'closing')
    return this.#speak(typeof text === 'string' ? once(text) : text, options)
  }

  reply(options: { instructions?: string } & SpeechOptions = {}): Reply {
    this.#utterances.keepHeard()
    return this.#mind.reply(options)
  }

  /** Stops what the agent says and thinks, now (SP1). */
  interrupt({ force = false } = {}): void {
    const { current } = this.speaker
    const now = [...(current ? [current] : []), ...this.#mind.replies]
    // Refused before anything has been stopped (SP7).
    if (!force && now.some(({ interruptible, interrupted }) => !interruptible && !interrupted))
      throw new UninterruptibleError()
    this.#stop(force)
  }

  /** Stops all that may be stopped. Queued speech goes, too: it was an answer to a moment that is over. */
  #stop(force: boolean): void {
    const { current, waiting } = this.speaker
    for (const one of [...waiting, ...(current ? [current] : []), ...this.#mind.replies])
      if (force || one.interruptible) one.interrupt({ force })
    this.#turn?.cancel('interrupted')
    this.#discard()
  }

  commitTurn(): void {
    this.#turns.tell({ type: 'commit' })
  }

  discardTurn(): void {
    this.#turns.tell({ type: 'discard' })
  }

  handOff(to: Agent): Promise<void> {
    return this.agents.handOff(to)
  }

  // ── the end ──

  /** No new turns; the one in flight goes on (CL3). */
  ending(bargeIn: boolean): void {
    this.#mind.takesTurns(false)
    this.speaker.patient = true
    this.#turns.tell({ type: 'ending', bargeIn })
  }

  /** Whether nothing is being said, thought or done. */
  get idle(): boolean {
    const { replies, expecting } = this.#mind
    return this.speaker.idle && replies.length === 0 && !expecting && !this.#turn && !this.tools.busy
  }

  /** Resolves as soon as nothing is being said, thought or done. */
  whenIdle(): Promise<void> {
    if (this.idle) return Promise.resolve()
    return new Promise((resolve) => this.#onIdle.add(resolve))
  }

  /** Lets what is being said finish. It ends by itself, whatever happens to it (AG3). */
  async letSpeechFinish(): Promise<void> {
    const { scope } = this.#host
    for (let speech = this.speaker.current; speech; speech = this.speaker.current) {
      await scope.until(speech.waitForPlayout()).catch(noop)
      if (scope.state !== 'live') return
    }
  }

  /** What the user has said that is not committed yet (CL6). */
  get pending(): PendingWords {
    return this.#turns.pending
  }

  /** Until when there is sound on the line, as far as is known, or a tool within its own time. */
  get busyUntil(): number {
    return Math.max(this.tools.busyUntil, this.speaker.endsAt ?? 0)
  }

  /**
   * Closing: no turn begins any more. Returns whether the user is in the middle of an utterance, or it is still being
   * transcribed: then `lastWords` waits for it (CL6).
   */
  stopTurns(): boolean {
    const { speaking } = this.pending
    this.#mind.takesTurns(false)
    this.#turns.tell({ type: 'ending' })
    if (speaking) this.userStopped(0)
    // Before the link is told that it is closing: from then on it sends nothing but its own end.
    return this.pending.transcribing && this.#mind.detach() && this.pending.transcribing
  }

  /** Waits until what the user said is transcribed, and not longer than `timeout`. */
  lastWords(timeout: number): Promise<void> {
    const waiting = this.#lastWords.wait(this.#host.scope.clock, timeout)
    this.#checkLastWords()
    return waiting
  }

  /** The wait is over, in time or not: what is understood of the user's last words is kept. */
  keepLastWords(): void {
    this.#lastWords.come()
    this.#host.history.addUser(this.pending.text, { at: this.#host.scope.clock.date() })
  }

  #checkLastWords(): void {
    if (!this.pending.transcribing) this.#lastWords.come()
  }

  /** Closing: silence, now. */
  mute(): void {
    this.speaker.mute()
  }

  // ── one turn ──

  #commit(turn: CommitCommand): void {
    const { scope } = this.#host
    const prepared = turn.preempted ? this.#prepared : undefined
    if (!prepared) this.#discard()
    this.#prepared = undefined
    this.#turn?.cancel('another turn')
    this.#waitingSince = turn.stopped
    this.#turnCount++
    this.#host.progress()
    const task = scope.spawn(`turn ${this.#turnCount}`, (context) => this.#answer(turn, prepared, context))
    this.#turn = task
    const over = (): void => {
      if (this.#turn === task) this.#turn = undefined
      this.#settleIdle()
    }
    task.result.then(over, (error: unknown) => {
      if (task.outcome === 'failed') this.#host.failed('turn', error)
      over()
    })
  }

  async #answer(
    { text, from }: CommitCommand,
    prepared: Preparation | undefined,
    context: TaskContext,
  ): Promise<void> {
    const { history, scope } = this.#host
    const { agent } = this.agents.current
    context.onCancel(() => prepared?.task.cancel('the turn was interrupted'))
    let read = text
    try {
      if (agent.onTurn && text !== '') read = await context.until(this.agents.turn(text))
    } finally {
      // Also if nobody will answer: it was said.
      history.addUser(read, { at: scope.clock.date() })
      // Of a turn that only the model has heard, the words come from there.
      if (read !== '') this.#host.emit('user', { text: read })
    }
    const usable = read === text ? prepared : undefined
    if (!usable) prepared?.task.cancel('the turn was changed')
    this.#utterances.keepHeard()
    const reply = this.#mind.answer({ text: read, from, prepared: usable })
    if (read !== '') this.#check(read, () => stop(reply))
  }

  /** Input guardrails look at what the user said; `stops` stops the answer to it. */
  #check(text: string, stops: () => boolean): void {
    const { guardrails } = this.agents.current.agent
    this.#guardrails.look(text, guardrails.input, this.#objection('input', stops))
  }

  /** What a realtime model has understood of the user. It answers by itself; the words are for people, and for rules. */
  #heard(text: string, place: UserWords | undefined, stops: () => boolean): void {
    const { history, scope } = this.#host
    if (place) place.are(text)
    else history.addUser(text, { at: scope.clock.date() })
    this.final(text)
    if (text.trim() === '' || scope.state !== 'live') return
    this.#turnCount++
    this.#host.progress()
    this.#host.emit('user', { text })
    this.#check(text, stops)
    this.agents.turn(text).catch(noop)
  }

  get turnCount(): number {
    return this.#turnCount
  }

  #discard(): void {
    this.#prepared?.task.cancel('the turn goes on')
    this.#prepared = undefined
  }

  #judge(text: string): void {
    const judging = this.#mind.judge(text)
    if (!judging) return this.#turns.tell({ type: 'judged', text })
    judging.then(
      (score) => this.#turns.tell({ type: 'judged', text, score }),
      () => this.#turns.tell({ type: 'judged', text }),
    )
  }

  // ── speaking ──

  #speak(
    text: AsyncIterable<string>,
    options?: SpeechOptions,
    how?: { placed?: boolean; checked?: boolean },
  ): Speech {
    const { agent } = this.agents.current
    const sound: Sound = (utterance, signal) =>
      this.#mind.sound(agent.stages.text ? agent.stages.text(text) : text, utterance, signal)
    return this.#utterances.utter(agent, sound, options, how).speech
  }

  #sounding(speech: Speech): void {
    const { scope } = this.#host
    this.#audible = speech
    this.#turns.tell({ type: 'agent-started', interruptible: speech.interruptible })
    this.#host.emit('speaking', { speech })
    if (this.#waitingSince === undefined) return
    const ms = scope.clock.now() - this.#waitingSince
    this.turnReports.push({ latency: ms, at: this.#waitingSince - this.#startedAt })
    this.#waitingSince = undefined
    this.#host.emit('latency', { ms })
  }

  #spoken(speech: Speech, outcome: PlayoutOutcome): void {
    const { how } = outcome
    // One that was given up is no step forward.
    if (how !== 'failed') this.#host.progress()
    this.#host.emit('spoken', { speech, outcome })
    if (how === 'failed') this.#host.failed('speech', outcome.error)
    // One that never sounded, or whose sound went on into that of the next, is not the one that is heard now.
    if (this.#audible === speech) {
      this.#audible = undefined
      this.#turns.tell({ type: 'agent-stopped', how: how === 'interrupted' ? how : 'finished' })
    }
    this.#settleIdle()
  }

  #thinking(reply: Reply): void {
    const { replies } = this.#mind
    const interruptible = replies.every((one) => one.interruptible)
    this.#host.progress()
    this.#turns.tell({ type: 'agent-thinking', thinking: replies.length > 0, interruptible })
    if (reply.outcome?.how === 'failed') this.#host.failed('reply', reply.outcome.error)
    if (reply.outcome) this.#settleIdle()
  }

  #callTool(call: ToolCall, before: () => Promise<ToolPlayout>, done: (outcome: ToolOutcome) => void): void {
    const { id, name, input } = call
    // A listener may close the session: then there is nobody to ask for tools, and the call has its outcome all the same.
    const { tools } = this.agents.current
    this.#host.calledTool()
    this.#host.emit('tool', { id, name, input })
    this.#turns.tell({ type: 'tool', running: true })
    this.tools.call(call, tools, before, (outcome) => {
      done(outcome)
      this.#host.progress()
      if (outcome.failed) this.#host.toolFailed(name, outcome.error)
      this.#host.emit('tool-done', { id, name, outcome })
      if (!this.tools.busy) this.#turns.tell({ type: 'tool', running: false })
      this.#settleIdle()
    })
  }

  /** A guardrail that objects stops what it objects to, the rest of the answer with it, and something else is said. */
  #objection(on: 'input' | 'output', stops: () => boolean): Objection {
    return (name, verdict) => {
      if (this.#host.scope.state !== 'live') return
      this.#host.emit('guardrail', { name, on, verdict })
      // A listener of what was stopped may have closed the session.
      if (!stops() || this.#host.scope.state !== 'live') return
      // Nobody checks the refusal: one that is refused would be refused again.
      this.#speak(once(this.agents.current.agent.guardrails.refusal ?? defaultRefusal), undefined, {
        checked: false,
      })
    }
  }

  #settleIdle(): void {
    if (!this.idle) return
    for (const resolve of this.#onIdle) resolve()
    this.#onIdle.clear()
  }
}

/** Stops it if there is something to stop. */
function stop(subject: Reply | Speech): boolean {
  const isOver = 'over' in subject ? subject.over : subject.outcome !== undefined
  if (isOver || subject.interrupted) return false
  subject.interrupt({ force: true })
  return true
}
