import { Resampler, type AudioFrame, type SampleRate } from '../audio/index.ts'
import type {
  LineConnection,
  LlmClient,
  SttStream,
  TurnJudge,
  Usage,
  VadStream,
  Voice,
} from '../parts/index.ts'
import type { Scope, TaskContext, TaskHandle } from '../scope/index.ts'
import type { Agent } from './agent.ts'
import { Agents, type AgentsHost } from './agents.ts'
import { bounded } from './bounded.ts'
import { SessionClosedError, UninterruptibleError } from './errors.ts'
import type { SessionEvents } from './events.ts'
import { GuardrailRunner, defaultRefusal, type Objection } from './guardrails.ts'
import type { History } from './history.ts'
import type { Reply } from './reply.ts'
import type { TurnReport } from './report.ts'
import { Speaker } from './speaker.ts'
import type { PlayoutOutcome, Speech, SpeechOptions } from './speech.ts'
import type { SpokenWords } from './spoken-words.ts'
import { once, staged, tap } from './stages.ts'
import { Thinker, type Preparation } from './thinker.ts'
import { ToolRunner, type ToolCall, type ToolHost, type ToolOutcome } from './tool-runner.ts'
import type { ToolPlayout } from './tool.ts'
import type { CommitCommand, PendingWords } from './turn-events.ts'
import type { TurnOptions } from './turn-options.ts'
import { Turns } from './turns.ts'

/** The parts of a conversation, opened. */
export interface OpenParts {
  readonly line: LineConnection
  readonly lineRate: SampleRate
  readonly llm: LlmClient
  readonly stt?: { readonly stream: SttStream; readonly rate: SampleRate } | undefined
  readonly vad?: { readonly stream: VadStream; readonly rate: SampleRate } | undefined
  readonly voice: Voice
  readonly judge?: TurnJudge | undefined
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
  /** Something has moved: an ending session is not stuck (CL3). */
  progress(): void
  userIdle(): void
  userActive(): void
  /** A frame of the agent is expected to be heard at a moment. */
  played(frame: AudioFrame, at: number): void
}

/**
 * A conversation with one caller, over a chain of models. One utterance goes through it in one direction:
 *
 *   hear ─▶ vad, stt ─▶ turns ─▶ #commit ─▶ #answer ─▶ thinker ─▶ #speak ─▶ speaker ─▶ line
 *
 * Interruption goes the other way as one synchronous call: turns ─▶ interrupt ─▶ speech ─▶ line.clear().
 */
export class Conversation {
  readonly speaker: Speaker
  readonly agents: Agents
  readonly tools: ToolRunner
  readonly turnReports: TurnReport[] = []
  readonly #host: ConversationHost
  readonly #parts: OpenParts
  readonly #turns: Turns
  readonly #thinker: Thinker
  readonly #guardrails: GuardrailRunner
  /** Where the words of each speech that has not ended stand in the history. */
  readonly #said = new Map<Speech, { readonly place: () => SpokenWords; words?: SpokenWords }>()
  /** The speech that the turns know to sound. */
  #audible: Speech | undefined
  readonly #toSttRate: Resampler | undefined
  readonly #toVadRate: Resampler | undefined
  readonly #startedAt: number
  #prepared: Preparation | undefined
  #turn: TaskHandle<unknown> | undefined
  #turnCount = 0
  /** When the user stopped, until the answer is heard. */
  #waitingSince: number | undefined
  readonly #onIdle = new Set<() => void>()
  #lastWordsCame: (() => void) | undefined

  constructor(host: ConversationHost, parts: OpenParts) {
    const { scope, history } = host
    this.#host = host
    this.#parts = parts
    this.#startedAt = scope.clock.now()
    const { stt, vad, lineRate } = parts
    if (stt && stt.rate !== lineRate) this.#toSttRate = new Resampler({ from: lineRate, to: stt.rate })
    if (vad && vad.rate !== lineRate) this.#toVadRate = new Resampler({ from: lineRate, to: vad.rate })
    this.speaker = new Speaker({
      scope,
      line: parts.line,
      sampleRate: lineRate,
      playoutTimeout: host.playoutTimeout,
      started: (speech) => this.#sounding(speech),
      interrupted: (speech, heard) => this.#said.get(speech)?.words?.heard(heard),
      ended: (speech, outcome) => this.#spoken(speech, outcome),
      played: (frame, at) => {
        host.progress()
        host.played(frame, at)
      },
    })
    this.agents = new Agents({
      ...host.agents,
      scope,
      letSpeechFinish: () => this.#letSpeechFinish(),
      changed: (from, to, how) => {
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
    this.#guardrails = new GuardrailRunner(scope, (where, error) => host.failed(where, error))
    this.#thinker = new Thinker({
      scope,
      history,
      llm: parts.llm,
      maxToolSteps: host.maxToolSteps,
      agent: () => ({ agent: this.agents.current.agent, tools: this.agents.current.descriptions }),
      speak: (text, options) => this.#speak(text, options, { placed: true }),
      callTool: (call, before, done) => this.#callTool(call, before, done),
      interruptTool: (id) => this.tools.interrupt(id),
      handOff: (to, from) => this.agents.handOff(to, from),
      used: (usage) => host.used(usage),
      changed: (reply) => this.#thinking(reply),
    })
    this.#turns = new Turns(scope, host.turns, {
      flushStt: () => parts.stt?.stream.flush(),
      judge: (text) => this.#judge(text),
      preempt: (text) => {
        this.#prepared = this.#thinker.prepare(text)
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

  // ── what comes from the line and the models ──

  live(): void {
    this.#turns.tell({ type: 'live' })
  }

  /** The caller's sound. */
  hear(frame: AudioFrame): void {
    const { stt, vad } = this.#parts
    vad?.stream.push(atRate(vad.rate, frame, this.#toVadRate))
    stt?.stream.push(atRate(stt.rate, frame, this.#toSttRate))
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
    this.#keepHeard()
    return this.#thinker.reply(options)
  }

  /** Stops what the agent says and thinks, now (SP1). */
  interrupt({ force = false } = {}): void {
    const { current } = this.speaker
    const now = [...(current ? [current] : []), ...this.#thinker.replies]
    // Refused before anything has been stopped (SP7).
    if (!force && now.some(({ interruptible, interrupted }) => !interruptible && !interrupted))
      throw new UninterruptibleError()
    this.#stop(force)
  }

  /** Stops all that may be stopped. Queued speech goes, too: it was an answer to a moment that is over. */
  #stop(force: boolean): void {
    const { current, waiting } = this.speaker
    for (const one of [...waiting, ...(current ? [current] : []), ...this.#thinker.replies])
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
    this.#turns.tell({ type: 'ending', bargeIn })
  }

  /** Whether nothing is being said, thought or done. */
  get idle(): boolean {
    return this.speaker.idle && this.#thinker.replies.length === 0 && !this.#turn && !this.tools.busy
  }

  /** Resolves as soon as nothing is being said, thought or done. */
  whenIdle(): Promise<void> {
    if (this.idle) return Promise.resolve()
    return new Promise((resolve) => this.#onIdle.add(resolve))
  }

  /** Lets what is being said finish. What does not sound on for `stallTimeout` stands still, and is stopped (AG3). */
  async #letSpeechFinish(): Promise<void> {
    const { scope, stallTimeout } = this.#host
    const { clock } = scope
    let since = clock.now()
    const left = (): number => Math.max(since, this.speaker.endsAt ?? 0) + stallTimeout - clock.now()
    for (let speech = this.speaker.current; speech; speech = this.speaker.current) {
      const wait = Math.max(0, left())
      const { how } = await bounded(scope, wait, 'speech before a handoff', speech.waitForPlayout())
      if (scope.state !== 'live') return
      if (how !== 'late') since = clock.now()
      else if (left() <= 0) this.speaker.giveUp(speech)
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
    this.#turns.tell({ type: 'ending' })
    if (speaking) this.userStopped(0)
    const { stt } = this.#parts
    if (!stt || !this.pending.transcribing) return false
    // Before the stream is told that it is closing: from then on it sends nothing but its own end.
    stt.stream.flush()
    stt.stream.detach()
    return this.pending.transcribing
  }

  /** Waits until what the user said is transcribed, and not longer than `timeout`. */
  lastWords(timeout: number): Promise<void> {
    const { clock } = this.#host.scope
    return new Promise((resolve) => {
      const timer = clock.after(timeout, 'last words', () => this.#lastWordsCame?.())
      this.#lastWordsCame = () => {
        timer.clear()
        this.#lastWordsCame = undefined
        resolve()
      }
      this.#checkLastWords()
    })
  }

  /** The wait is over, in time or not: what is understood of the user's last words is kept. */
  keepLastWords(): void {
    this.#lastWordsCame?.()
    this.#host.history.addUser(this.pending.text, { at: this.#host.scope.clock.date() })
  }

  #checkLastWords(): void {
    if (!this.pending.transcribing) this.#lastWordsCame?.()
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
    const task = scope.spawn(`turn ${this.#turnCount}`, (context) =>
      this.#answer(turn.text, prepared, context),
    )
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

  async #answer(text: string, prepared: Preparation | undefined, context: TaskContext): Promise<void> {
    const { history, scope } = this.#host
    const { agent } = this.agents.current
    context.onCancel(() => prepared?.task.cancel('the turn was interrupted'))
    let read = text
    try {
      if (agent.onTurn) read = await context.until(this.agents.turn(text))
    } finally {
      // Also if nobody will answer: it was said.
      history.addUser(read, { at: scope.clock.date() })
      this.#host.emit('user', { text: read })
    }
    const usable = read === text ? prepared : undefined
    if (!usable) prepared?.task.cancel('the turn was changed')
    this.#keepHeard()
    const reply = this.#thinker.reply({ prepared: usable })
    this.#guardrails.look(read, agent.guardrails.input, this.#objectionTo('input', reply))
  }

  get turnCount(): number {
    return this.#turnCount
  }

  #discard(): void {
    this.#prepared?.task.cancel('the turn goes on')
    this.#prepared = undefined
  }

  #judge(text: string): void {
    const { scope } = this.#host
    const { judge } = this.#parts
    if (!judge) return this.#turns.tell({ type: 'judged', text })
    scope
      .spawn('turn detector', ({ signal }) => judge.finished(text, signal))
      .result.then(
        (score) => this.#turns.tell({ type: 'judged', text, score }),
        () => this.#turns.tell({ type: 'judged', text }),
      )
  }

  // ── speaking ──

  /**
   * `placed`: the words of an answer stand in the history where the model said them, before the tools it called next;
   * others stand where they were heard. `checked`: by the guardrails.
   */
  #speak(
    text: AsyncIterable<string>,
    options?: SpeechOptions,
    { checked = true, placed = false } = {},
  ): Speech {
    const { history, scope } = this.#host
    const { agent } = this.agents.current
    const { voice } = this.#parts
    const speech = this.speaker.enqueue(
      {
        sound: (self, signal) => {
          const { stages, guardrails } = agent
          const said = tap(stages.text ? stages.text(text) : text, (piece) => {
            self.said(piece)
            this.#host.progress()
          })
          const object = this.#objectionTo('output', self)
          const sound = voice.speak(
            checked ? this.#guardrails.watch(said, guardrails.output, object) : said,
            signal,
          )
          return stages.sound ? staged(sound, stages.sound) : sound
        },
      },
      options,
    )
    const place = (): SpokenWords => history.speak({ at: scope.clock.date(), agent: agent.name })
    this.#said.set(speech, placed ? { place, words: place() } : { place })
    return speech
  }

  #sounding(speech: Speech): void {
    const { scope } = this.#host
    const said = this.#said.get(speech)
    if (said) said.words ??= said.place()
    this.#audible = speech
    this.#turns.tell({ type: 'agent-started', interruptible: speech.interruptible })
    this.#host.emit('speaking', { speech })
    if (this.#waitingSince === undefined) return
    const ms = scope.clock.now() - this.#waitingSince
    this.turnReports.push({ latency: ms, at: this.#waitingSince - this.#startedAt })
    this.#waitingSince = undefined
    this.#host.emit('latency', { ms })
  }

  /** What was heard so far of the words that sound now: whoever answers must know them. */
  #keepHeard(): void {
    const { current, heardSoFar } = this.speaker
    if (current) this.#said.get(current)?.words?.heard(heardSoFar)
  }

  #spoken(speech: Speech, outcome: PlayoutOutcome): void {
    const { how, heard } = outcome
    const words = this.#said.get(speech)?.words
    this.#said.delete(speech)
    words?.heard(heard)
    words?.end({ interrupted: how === 'interrupted' })
    this.#host.progress()
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
    const { replies } = this.#thinker
    const interruptible = replies.every((one) => one.interruptible)
    this.#host.progress()
    this.#turns.tell({ type: 'agent-thinking', thinking: replies.length > 0, interruptible })
    if (reply.outcome?.how === 'failed') this.#host.failed('reply', reply.outcome.error)
    if (reply.outcome) this.#settleIdle()
  }

  #callTool(call: ToolCall, before: () => Promise<ToolPlayout>, done: (outcome: ToolOutcome) => void): void {
    const { id, name, input } = call
    this.#host.calledTool()
    this.#host.emit('tool', { id, name, input })
    this.#turns.tell({ type: 'tool', running: true })
    this.tools.call(call, this.agents.current.tools, before, (outcome) => {
      done(outcome)
      this.#host.progress()
      this.#host.emit('tool-done', { id, name, outcome })
      if (!this.tools.busy) this.#turns.tell({ type: 'tool', running: false })
      this.#settleIdle()
    })
  }

  /** A guardrail that objects stops what it objects to, the rest of the answer with it, and something else is said. */
  #objectionTo(on: 'input' | 'output', subject: Reply | Speech): Objection {
    return (name, verdict) => {
      if (this.#host.scope.state !== 'live') return
      this.#host.emit('guardrail', { name, on, verdict })
      const isOver = 'over' in subject ? subject.over : subject.outcome !== undefined
      if (isOver || subject.interrupted) return
      subject.interrupt({ force: true })
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

function atRate(rate: SampleRate, frame: AudioFrame, resampler: Resampler | undefined): AudioFrame {
  return resampler ? { samples: resampler.push(frame.samples), sampleRate: rate } : frame
}
