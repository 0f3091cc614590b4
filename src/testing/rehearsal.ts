import { EndwellError, OptionError, checkOptions, type Clock } from '../scope/index.ts'
import {
  formatSession,
  type Agent,
  type CloseSessionOptions,
  type Session,
  type SessionReport,
} from '../session/index.ts'
import type { Activity } from './activity.ts'
import type { Faults } from './faults.ts'
import type { Pace, Waiting } from './pace.ts'
import { judgeCall, type JudgeOptions } from './personas/judge-call.ts'
import type { Judgement } from './personas/judgement.ts'
import { playCaller, type CallerOptions, type PlayedCall } from './personas/played-caller.ts'
import { rehearsalNames, type RehearsalOptions } from './rehearsal-options.ts'
import { createStage, type Stage, type StageLimits } from './rehearsal-stage.ts'
import { SimClock } from './sim-clock.ts'
import { MS_PER_CHARACTER } from './test-caller.ts'
import type { TestLine } from './test-line.ts'
import type { TurnToolCall } from './turn-event.ts'
import type { Turn } from './turn-record.ts'
import type { TurnRecorder } from './turn-recorder.ts'
import { VirtualTime } from './virtual-time.ts'
import { outsideTimer } from './outside-timer.ts'

/** Milliseconds of silence after spoken words, in which the agent takes its turn. */
const PAUSE = 1_000
/** Milliseconds after which spoken words that nothing has understood are a turn without an answer. */
const NOT_UNDERSTOOD = 3_000

/** A call on a rehearsal that is not possible in its current state. */
export class RehearsalError extends EndwellError {
  constructor(message: string) {
    super('REHEARSAL', message)
  }
}

export interface RunOptions {
  /** Stops in the middle of the turn, once the caller has heard these words. Continue with `interrupts`, for example. */
  until?: string
}

/**
 * Starts a simulated call with an agent. The caller types, a script replaces the model unless you pass one, and time is
 * virtual. Resolves after the agent's greeting.
 *
 * ```ts
 * const call = await rehearse(desk, {
 *   answers: [[callTool('findSlot', { day: 'Monday' })], 'Monday at ten is free.'],
 *   tools: { findSlot: () => ({ hour: 10 }) },
 * })
 * const turn = await call.run('Do you have time on Monday?')
 * turn.expect.toolCall('findSlot', { day: 'Monday' }).message(/ten/).nothingElse()
 * await call.endsWell()
 * ```
 */
export async function rehearse(agent: Agent, options: RehearsalOptions = {}): Promise<Rehearsal> {
  checkOptions('rehearse', options, rehearsalNames)
  const call = new Rehearsal(createStage(agent, options))
  await call.start()
  return call
}

/** A call with a caller who types. Each action of the caller is a turn, which lasts until the session is idle. */
export class Rehearsal {
  readonly session: Session
  readonly line: TestLine
  /** The faults: which have occurred, and a way to set more. */
  readonly faults: Faults
  readonly #pace: Pace
  readonly #activity: Activity
  readonly #recorder: TurnRecorder
  readonly #limits: StageLimits
  readonly #closed: Promise<SessionReport>
  /** The action in progress. */
  #pending: string | undefined

  /** @internal Created by `rehearse`. */
  constructor({ session, line, faults, pace, activity, recorder, limits }: Stage) {
    this.session = session
    this.line = line
    this.faults = faults
    this.#pace = pace
    this.#activity = activity
    this.#recorder = recorder
    this.#limits = limits
    this.#closed = new Promise((resolve) => {
      session.on('closed', resolve)
    })
  }

  /** The clock of the session. Virtual time stands still between two actions. */
  get clock(): Clock {
    return this.#pace.clock
  }

  /** All turns so far. The first is the greeting, the last the end of the call. */
  get turns(): readonly Turn[] {
    return this.#recorder.turns
  }

  /** The turn before the caller's first action. */
  get greeting(): Turn {
    return this.turns[0]!
  }

  /** The tool calls of all turns. */
  get toolCalls(): readonly TurnToolCall[] {
    return this.turns.flatMap(({ toolCalls }) => toolCalls)
  }

  /** @internal */
  async start(): Promise<void> {
    this.#recorder.begin('is connected')
    const waiting = this.#waiting('the start of the session')
    try {
      await this.#pace.run(this.session.start(), waiting)
    } catch (error) {
      await this.close()
      throw error
    }
    await this.#pace.until(() => this.#activity.idle, this.#waiting('the end of the greeting'))
  }

  // ── actions of the caller ──

  /**
   * Types a message, and waits until the session is idle again: everything has been answered, done and heard, and only
   * the caller, or the person who approves a tool call, can make something happen.
   */
  async run(text: string, { until }: RunOptions = {}): Promise<Turn> {
    if (text.trim() === '') throw new OptionError('run() needs a text; use waits(ms) for silence')
    return this.#turn(`run(${quoted(text)})`, text, async (waiting) => {
      const before = this.line.heardText.length
      this.line.caller.types(text)
      if (until === undefined) await this.#pace.until(() => this.#activity.idle, waiting)
      else await this.#untilHeard(until, before, waiting)
    })
  }

  /** Speaks, so that VAD, STT and turn-taking take part, and waits until the session is idle again. */
  async says(text: string): Promise<Turn> {
    if (text.trim() === '') throw new OptionError('says() needs a text; use waits(ms) for silence')
    return this.#turn(`says(${quoted(text)})`, text, async (waiting) => {
      const { caller } = this.line
      let understood = false
      const stop = this.session.on('user', () => (understood = true))
      try {
        const spoken = caller.says(text).then(() => caller.pauses(PAUSE))
        await this.#pace.run(spoken, { ...waiting, takes: MS_PER_CHARACTER * text.length + PAUSE })
        await this.#idleAfter(NOT_UNDERSTOOD, waiting, () => understood)
      } finally {
        stop()
      }
    })
  }

  /** Types while the agent is speaking. Rejects if it is not: stop a turn in the middle first, with `run(…, { until })`. */
  async interrupts(text: string): Promise<Turn> {
    if (!this.#activity.speaking) {
      throw new RehearsalError(
        `interrupts(${quoted(text)}): the agent is not speaking. Stop a turn in the middle first: run(…, { until: 'words' })`,
      )
    }
    return this.run(text)
  }

  /** Waits this many milliseconds in silence, and until the session is idle. */
  waits(ms: number): Promise<Turn> {
    return this.#turn(`waits(${ms})`, `is silent for ${ms} ms`, (waiting) => this.#idleAfter(ms, waiting))
  }

  /** Presses phone keys, and waits until the session has handled them. */
  async presses(digits: string): Promise<Turn> {
    const { dtmf: timeout = 0 } = this.#limits
    // A tool may be asking for keys.
    if (this.#limits.dtmf === undefined && this.#activity.idle)
      throw new RehearsalError('this session ignores phone keys: set turns: { dtmf: {} }')
    return this.#turn(`presses('${digits}')`, `presses ${digits}`, async (waiting) => {
      let entered = false
      const stop = (['digits', 'user'] as const).map((name) => this.session.on(name, () => (entered = true)))
      this.line.caller.presses(digits)
      await this.#idleAfter(timeout, waiting, () => entered).finally(() => stop.forEach((off) => off()))
    })
  }

  /** Hangs up. Resolves with the session's report. */
  async hangsUp(): Promise<SessionReport> {
    this.#requireLive('hangsUp()')
    this.#recorder.begin('hangs up')
    this.line.caller.hangsUp()
    return this.#ended()
  }

  /** Disconnects without hanging up. */
  async vanishes(): Promise<SessionReport> {
    this.#requireLive('vanishes()')
    this.#recorder.begin('vanishes')
    this.line.caller.vanishes()
    return this.#ended()
  }

  /**
   * Has a model play the caller: a persona with a goal. Resolves when they have hung up, or the session has ended.
   *
   * ```ts
   * const { how } = await call.talksAs({ llm, persona: 'Ada, who is in a hurry', goal: 'An appointment on Monday.' })
   * ```
   */
  talksAs(caller: CallerOptions): Promise<PlayedCall> {
    return playCaller(this, this.#pace, caller)
  }

  // ── actions of others ──

  /**
   * Has a model judge the call so far, or after its end.
   *
   * ```ts
   * const judgement = await call.judge({ llm, criteria: ['The agent repeats the day and the hour.'] })
   * judgement.expectPassed()
   * ```
   */
  judge(judge: JudgeOptions): Promise<Judgement> {
    return judgeCall(this.turns, this.#pace, judge)
  }

  /** Approves all tool calls that wait for it. Each call belongs to the turn in which it was made. */
  approves(): Promise<Turn> {
    return this.#decides('approves', true)
  }

  refuses(): Promise<Turn> {
    return this.#decides('refuses', false)
  }

  /** Closes the session, and waits until nothing of it is left, including its after-call work. */
  async close(options?: CloseSessionOptions): Promise<SessionReport> {
    const { state } = this.session
    if (state !== 'closing' && state !== 'closed') {
      this.#recorder.begin('(the session is closed)')
      await this.#pace.run(this.session.close(options), this.#waiting('close()', this.#limits.close))
    }
    return this.#ended()
  }

  /**
   * Closes the session and rejects unless the close was clean. The error shows the report. Errors during the call do not
   * count: check them with `expect.noError()`.
   */
  async endsWell(): Promise<SessionReport> {
    const report = await this.close()
    if (!report.scope.clean)
      throw new RehearsalError(
        `the session did not end well:\n\n${formatSession(report, { transcript: true })}`,
      )
    return report
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  // ── waiting ──

  async #turn(what: string, opening: string, act: (waiting: Waiting) => Promise<void>): Promise<Turn> {
    this.#requireLive(what)
    if (this.#pending !== undefined)
      throw new RehearsalError(`${what}: ${this.#pending} has not finished. Is an await missing?`)
    this.#pending = what
    try {
      const turn = this.#recorder.begin(opening)
      await act(this.#waiting(what))
      return turn
    } finally {
      this.#pending = undefined
    }
  }

  #requireLive(what: string): void {
    const { state } = this.session
    if (state === 'live') return
    throw new RehearsalError(`${what}: the session is ${state}\n\n${this.turns.at(-1)?.toString() ?? ''}`)
  }

  #waiting(what: string, takes = 0): Waiting {
    return {
      what,
      takes,
      alive: () => [
        ...this.#activity.doing,
        ...(this.#pace instanceof VirtualTime ? this.#pace.alive : []),
        ...(this.turns.at(-1)?.toString() ?? '').split('\n').map((line) => `│ ${line}`),
      ],
    }
  }

  async #decides(verb: 'approves' | 'refuses', approved: boolean): Promise<Turn> {
    const { approvals } = this.#activity
    if (approvals.length === 0) throw new RehearsalError(`${verb}(): no tool call waits for approval`)
    return this.#turn(
      `${verb}()`,
      `(tool calls are ${approved ? 'approved' : 'refused'})`,
      async (waiting) => {
        for (const id of approvals) this.session.approve(id, approved)
        await this.#pace.until(() => this.#activity.idle, waiting)
      },
    )
  }

  /** Resolves when the session is idle and the time has passed, or `enough` returns true. */
  async #idleAfter(ms: number, waiting: Waiting, enough = (): boolean => false): Promise<void> {
    let passed = false
    const timer = outsideTimer(this.clock, ms, 'the caller waits', () => {
      passed = true
      this.#pace.changed()
    })
    try {
      await this.#pace.until(() => this.#activity.closed || ((passed || enough()) && this.#activity.idle), {
        ...waiting,
        takes: ms,
      })
    } finally {
      timer.clear()
    }
  }

  async #untilHeard(words: string, before: number, waiting: Waiting): Promise<void> {
    const text = (): string => this.line.heardText.slice(before)
    const stop = this.line.connection.watch(() => this.#pace.changed())
    // The last character has been heard completely once the next one begins.
    const heard = (): boolean => text().slice(0, -1).includes(words)
    await this.#pace.until(() => heard() || this.#activity.idle, waiting).finally(stop)
    if (text().includes(words)) return
    const turn = this.turns.at(-1)!
    throw new RehearsalError(`${waiting.what}: the agent never said ${quoted(words)}\n\n${turn.toString()}`)
  }

  /** Resolves with the report, once the after-call work has ended and no timer is left. */
  async #ended(): Promise<SessionReport> {
    const report = await this.#pace.run(
      this.#closed,
      this.#waiting('the end of the session', this.#limits.close),
    )
    await this.#pace.run(
      this.session.afterCall,
      this.#waiting('the work after the call', this.#limits.afterCall),
    )
    const { clock } = this
    if (clock instanceof SimClock)
      await this.#pace.until(() => clock.timers.size === 0, this.#waiting('the last timer of the session'))
    return report
  }
}

function quoted(text: string): string {
  return `'${text}'`
}
