import { EndwellError, OptionError, type Clock } from '../scope/index.ts'
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
import type { RehearsalOptions } from './rehearsal-options.ts'
import { setStage, type Stage, type StageLimits } from './rehearsal-stage.ts'
import { SimClock } from './sim-clock.ts'
import type { TestLine } from './test-line.ts'
import type { TurnToolCall } from './turn-event.ts'
import type { Turn } from './turn-record.ts'
import type { TurnRecorder } from './turn-recorder.ts'
import { VirtualTime } from './virtual-time.ts'
import { outsideTimer } from './outside-timer.ts'

/** A rehearsal was asked for something that cannot be now. */
export class RehearsalError extends EndwellError {
  constructor(message: string) {
    super('REHEARSAL', message)
  }
}

export interface RunOptions {
  /** Stops in the middle: when the agent has been heard to say these words. Go on with `interrupts`, for instance. */
  until?: string
}

/**
 * Rehearses a call with an agent: the caller types, a script stands in for the model unless you give one, and time is
 * virtual. Resolves when the agent has greeted.
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
  const call = new Rehearsal(setStage(agent, options))
  await call.start()
  return call
}

/** A call with a caller who types. Each thing that the caller does is a turn, and lasts until nothing more comes of it. */
export class Rehearsal {
  readonly session: Session
  readonly line: TestLine
  /** The faults, to see which have struck and to set more. */
  readonly faults: Faults
  readonly #pace: Pace
  readonly #activity: Activity
  readonly #recorder: TurnRecorder
  readonly #limits: StageLimits
  readonly #closed: Promise<SessionReport>
  /** The one that is awaited. */
  #under: string | undefined

  /** @internal Made by `rehearse`. */
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

  /** The clock of the session. In virtual time it stands still between two steps. */
  get clock(): Clock {
    return this.#pace.clock
  }

  /** All turns so far: the greeting first, and the end of the call last. */
  get turns(): readonly Turn[] {
    return this.#recorder.turns
  }

  /** What happened before the caller did anything. */
  get greeting(): Turn {
    return this.turns[0]!
  }

  /** The calls of all turns. */
  get toolCalls(): readonly TurnToolCall[] {
    return this.turns.flatMap(({ toolCalls }) => toolCalls)
  }

  /** @internal */
  async start(): Promise<void> {
    this.#recorder.begin('is put through')
    const waiting = this.#waiting('the start of the session')
    try {
      await this.#pace.run(this.session.start(), waiting)
    } catch (error) {
      await this.close()
      throw error
    }
    await this.#pace.until(() => this.#activity.idle, this.#waiting('the end of the greeting'))
  }

  // ── what the caller does ──

  /**
   * Types, and lets the session live until it is idle again: when everything was thought, done and heard, and only the
   * caller can make something happen, or whoever approves.
   */
  async run(text: string, { until }: RunOptions = {}): Promise<Turn> {
    if (text.trim() === '') throw new OptionError('run() needs words: silence is waits(ms)')
    return this.#turn(`run(${quoted(text)})`, text, async (waiting) => {
      const before = this.line.heardText.length
      this.line.caller.types(text)
      if (until === undefined) await this.#pace.until(() => this.#activity.idle, waiting)
      else await this.#hears(until, before, waiting)
    })
  }

  /** Types while the agent speaks. Throws if it does not: leave a turn in the middle first, with `run(…, { until })`. */
  async interrupts(text: string): Promise<Turn> {
    if (!this.#activity.speaking) {
      throw new RehearsalError(
        `cannot interrupts(${quoted(text)}): nobody speaks. Leave a turn in the middle first: run(…, { until: 'words' })`,
      )
    }
    return this.run(text)
  }

  /** Is silent for so long, and until the session is idle. */
  waits(ms: number): Promise<Turn> {
    return this.#turn(`waits(${ms})`, `is silent for ${ms} ms`, (waiting) => this.#idleAfter(ms, waiting))
  }

  /** Presses keys of the telephone, and waits until they have become an entry. */
  async presses(digits: string): Promise<Turn> {
    const timeout = this.#limits.dtmf
    if (timeout === undefined)
      throw new RehearsalError('keys are ignored by this session: set turns: { dtmf: {} } to have them heard')
    return this.#turn(`presses('${digits}')`, `presses ${digits}`, async (waiting) => {
      let entered = false
      const stop = (['digits', 'user'] as const).map((name) => this.session.on(name, () => (entered = true)))
      this.line.caller.presses(digits)
      await this.#idleAfter(timeout, waiting, () => entered).finally(() => stop.forEach((off) => off()))
    })
  }

  /** Hangs up. The report is that of the session. */
  async hangsUp(): Promise<SessionReport> {
    this.#open('hangsUp()')
    this.#recorder.begin('hangs up')
    this.line.caller.hangsUp()
    return this.#ended()
  }

  /** Is gone without a word. */
  async vanishes(): Promise<SessionReport> {
    this.#open('vanishes()')
    this.#recorder.begin('vanishes')
    this.line.caller.vanishes()
    return this.#ended()
  }

  // ── what others do ──

  /** Somebody approves what waits for approval. The call belongs to the turn in which it was made. */
  approves(): Promise<Turn> {
    return this.#decides('approves', true)
  }

  refuses(): Promise<Turn> {
    return this.#decides('refuses', false)
  }

  /** Ends the session. After the report, time passes until nothing of it is left: work after the call included. */
  async close(options?: CloseSessionOptions): Promise<SessionReport> {
    const { state } = this.session
    if (state !== 'closing' && state !== 'closed') {
      this.#recorder.begin('(the session is closed)')
      await this.#pace.run(this.session.close(options), this.#waiting('close()', this.#limits.close))
    }
    return this.#ended()
  }

  /** Ends the session and throws unless the report is clean. The error shows the report. */
  async endsWell(): Promise<SessionReport> {
    const report = await this.close()
    if (!report.clean)
      throw new RehearsalError(
        `the session did not end well:\n\n${formatSession(report, { transcript: true })}`,
      )
    return report
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  // ── how ──

  async #turn(what: string, opening: string, act: (waiting: Waiting) => Promise<void>): Promise<Turn> {
    this.#open(what)
    if (this.#under !== undefined)
      throw new RehearsalError(`cannot ${what}: ${this.#under} is not over. Is an await missing?`)
    this.#under = what
    try {
      const turn = this.#recorder.begin(opening)
      await act(this.#waiting(what))
      return turn
    } finally {
      this.#under = undefined
    }
  }

  #open(what: string): void {
    const { state } = this.session
    if (state === 'live') return
    throw new RehearsalError(
      `cannot ${what}: the session is ${state}\n\n${this.turns.at(-1)?.toString() ?? ''}`,
    )
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
    if (approvals.length === 0) throw new RehearsalError(`cannot ${verb}(): nothing waits for approval`)
    return this.#turn(`${verb}()`, `(somebody ${verb})`, async (waiting) => {
      for (const id of approvals) this.session.approve(id, approved)
      await this.#pace.until(() => this.#activity.idle, waiting)
    })
  }

  /** Idle, and so much time has passed or `enough` says that it need not. */
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

  async #hears(words: string, before: number, waiting: Waiting): Promise<void> {
    const text = (): string => this.line.heardText.slice(before)
    const stop = this.line.connection.watch(() => this.#pace.changed())
    // One character more: the last one has been heard when the next begins.
    const heard = (): boolean => text().slice(0, -1).includes(words)
    await this.#pace.until(() => heard() || this.#activity.idle, waiting).finally(stop)
    if (text().includes(words)) return
    const turn = this.turns.at(-1)!
    throw new RehearsalError(`${waiting.what}: the agent never said ${quoted(words)}\n\n${turn.toString()}`)
  }

  /** The report, once everything that comes after it is over as well. */
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
