import {
  EndwellError,
  MachineShell,
  OptionError,
  callOut,
  noop,
  optionProblem,
  type Ask,
  type CloseOptions,
  type ScopeReport,
  type TaskContext,
  type Timers,
  type OptionNames,
} from '../../scope/index.ts'
import type { Answering } from '../answering/answering.ts'
import type { SessionContext } from '../context.ts'
import { EndCutError, SessionClosedError, SessionEndingError } from '../errors.ts'
import type { Hearing } from '../hearing/hearing.ts'
import type { Speaking } from '../speaking/speaking.ts'
import { runAfterCall } from './after-call.ts'
import {
  askNames,
  hangUpNames,
  type CloseAsk,
  type Ends,
  type HangUpOptions,
  type HangUpOutcome,
} from './asks.ts'
import { endings, failures, type CloseReason } from './close-reason.ts'
import { SLOW_STEP, logSteps } from './log-steps.ts'
import type { SessionReport } from './report.ts'
import { SessionMachine } from './session-machine.ts'
import type { Activity, CloseCommand, SessionCommand, SessionEvent } from './session-events.ts'

/** The stations of a session that was started. */
export interface Stations {
  readonly hearing: Hearing
  readonly answering: Answering
  readonly speaking: Speaking
}

/**
 * Ends a session exactly once, no matter how often or by whom that is requested. `SessionMachine` decides; this class carries
 * out its commands, and the scope does the rest (SC3, SC11, SC12).
 *
 *  drain · hangUp · caps ─▶ ending: new work refused, the turn in flight finishes, bounded on stall
 *                              │
 *  close() · line lost ────────┴─▶ #begin    synchronous: state, silence, no more turns, intent, cancel
 *                                     │
 *    ┌───────────────────┬────────────┴──────────────┐   in parallel, one budget = deadline − reserve
 *    ▼                   ▼                           ▼
 *  last words          tasks: tools, guardrails,   user hooks
 *  (only if pending)   speech, awaited together    (isolated, bounded)
 *    └─────────┬─────────┘
 *              │  holds the next phase back for taskCap at most; hooks hold nothing back
 *              ▼
 *  links and line: the protocol's own end, acknowledged or cut
 *              ▼
 *  recorder, toolsets
 *              ▼
 *  #finish: the report · one `closed` event · the same report for every caller · after-call handlers, each bounded
 */
export class Closing implements Ends {
  /** Resolves with the report. Every caller of `close` gets this promise. */
  readonly closed: Promise<SessionReport>
  /** Set once the line and the models are open. */
  stations: Stations | undefined
  readonly #context: SessionContext
  readonly #machine: SessionMachine
  readonly #shell: MachineShell<SessionEvent, SessionCommand>
  readonly #outcomes = new Map<number, (outcome: HangUpOutcome) => void>()
  #resolve: (report: SessionReport) => void = noop
  #afterCall: Promise<void> = Promise.resolve()
  /** The verbs that were called with a mistake in their options. */
  readonly #misused = new Set<string>()
  #lastEnding = 0

  constructor(context: SessionContext) {
    const { clock } = context.settings
    this.#context = context
    this.#machine = new SessionMachine(context.settings)
    // Timers of the clock, not of the scope: a session that was never started has no scope until it is closed.
    const timers: Timers = { clock, after: (ms, name, callback) => clock.after(ms, name, callback) }
    this.#shell = new MachineShell(this.#machine, timers, {
      name: 'session',
      carryOut: (command) => this.#carryOut(command),
      timerEvent: (timer, due) => ({ type: 'timer', timer, due, ...this.#activity }),
    })
    context.lifecycle = this.#shell
    context.ends = this
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get state(): SessionMachine['phase'] {
    return this.#machine.phase
  }

  get isClosing(): boolean {
    return this.#machine.isClosing
  }

  /** Resolves once the after-call handlers have finished as well. */
  get afterCall(): Promise<void> {
    return this.closed.then(() => this.#afterCall)
  }

  /** The stations of a live session, or why it takes no new work. Throws if it was never started, which is a mistake. */
  work(what: string): Stations | EndwellError {
    const { state, stations } = this
    if (state === 'live' && stations) return stations
    if (state === 'new') throw new SessionClosedError(what, 'not started')
    return state === 'ending' ? new SessionEndingError(what) : new SessionClosedError(what, state)
  }

  /** The stations of a live session. Throws if the session takes no new work. */
  live(what: string): Stations {
    const work = this.work(what)
    if (work instanceof EndwellError) throw work
    return work
  }

  /** The line and the models are open: makes the session live. */
  opened(): void {
    this.#shell.handle({ type: 'opened' })
  }

  /**
   * Returns the options that a verb was called with. A mistake in them must not throw into a live call: it is reported, and
   * the verb does its work without the option (FA7). Once per verb, so that a listener of `error` may use the verb again.
   */
  optionsOf<T extends object>(
    verb: string,
    options: T | null | undefined,
    names: OptionNames<T>,
  ): T | undefined {
    const given = options ?? undefined
    const problem = given && optionProblem(verb, given, names)
    if (!problem || this.#misused.has(verb)) return given
    this.#misused.add(verb)
    this.#context.failed(verb, problem)
    return given
  }

  /** Closes the session. Never rejects and never throws. */
  close(ask: CloseAsk): Promise<SessionReport> {
    this.#shell.handle({ type: 'close', ask })
    return this.closed
  }

  /** Lets the turn in flight finish, its tools and its answer included, then closes. */
  drain(ask: CloseAsk): Promise<SessionReport> {
    this.#shell.handle({ type: 'end', id: ++this.#lastEnding, ask, ...this.#activity })
    return this.closed
  }

  /**
   * Lets the turn in flight finish, says goodbye, waits until all of it was heard, and hangs up (SP8). A tool that hangs
   * up (`from`) belongs to the turn in flight, so neither waits for the other.
   */
  async hangUp(options?: HangUpOptions, from?: TaskContext): Promise<HangUpOutcome> {
    this.live('hang up')
    const own = this.optionsOf('hangUp', options, hangUpNames) ?? {}
    const { say, cancellable = false, reason = 'agent-hung-up', by } = own
    const id = ++this.#lastEnding
    const outcome = new Promise<HangUpOutcome>((resolve) => this.#outcomes.set(id, resolve))
    const ask: CloseAsk = { reason, by, from }
    this.#shell.handle({ type: 'end', id, ask, say, cancellable, ...this.#activity })
    const how = await outcome
    if (how !== 'cancelled' && !from) await this.closed
    return how
  }

  /** Closes the session because a part that it needs has failed for good. */
  broken(where: string, error: unknown): void {
    const { settings, events, book } = this.#context
    settings.logger.error({ session: settings.id, where, error }, 'the session cannot go on')
    book.failed(where, error, this.#context.now)
    book.fail(error)
    events.emit('error', { where, error })
    this.close({ reason: this.state === 'new' ? 'start-failed' : 'error', by: where }).catch(noop)
  }

  get #activity(): Activity {
    const { answering, speaking } = this.stations ?? {}
    const { transfersUntil } = this.#context
    const busyUntil = Math.max(answering?.tools.busyUntil ?? 0, speaking?.endsAt ?? 0, transfersUntil)
    return { movedAt: this.#context.movedAt, busyUntil }
  }

  #carryOut(command: Exclude<SessionCommand, { type: 'set-timer' | 'clear-timer' }>): void {
    // An earlier command or a listener may have finished or cancelled this graceful end.
    if ('ending' in command && command.type !== 'settle' && command.ending !== this.#machine.ending) return
    switch (command.type) {
      case 'emit-state':
        return this.#context.events.emit('state', { state: command.state })
      case 'stop-turns':
        this.stations?.speaking.waitForLine(true)
        return this.stations?.hearing.stopTurns(command.bargeIn)
      case 'finish-turn':
        return this.#whenIdle(command.ending)
      case 'say':
        return this.#say(command.ending, command.say, command.interruptible)
      case 'give-up-turn':
        return this.stations?.answering.interrupt(true)
      case 'apologise':
        return this.#apologise(command.say)
      case 'resume':
        this.stations?.speaking.waitForLine(false)
        return this.stations?.hearing.takeTurns()
      case 'settle':
        this.#outcomes.get(command.ending)?.(command.outcome)
        return void this.#outcomes.delete(command.ending)
      case 'warn':
        return this.#context.events.emit('warning', { reason: command.reason, left: command.left })
      case 'close':
        return this.#begin(command)
      case 'close-again':
        this.#context.scope.close(scopeOptions(command.ask)).catch(noop)
        return undefined
    }
  }

  // ── a graceful end ──

  #whenIdle(ending: number): void {
    const check = (): void => {
      if (!this.stations?.answering.isIdle || !this.stations.speaking.isIdle) return
      if (this.#context.transfersUntil > 0) return
      this.#context.onFinished = undefined
      this.#shell.handle({ type: 'idle', ending })
    }
    this.#context.onFinished = check
    check()
  }

  /** Waits for the current speech, then says goodbye if there is one. Every speech ends in bounded time (AG3). */
  #say(ending: number, words: string | undefined, interruptible: boolean): void {
    const { answering, speaking } = this.stations!
    const { scope } = this.#context
    // A tool may hang up while the agent is speaking. Without a goodbye, that speech still plays to its end.
    const said =
      words === undefined
        ? speaking.finished().then(() => undefined)
        : answering.say(words, { interruptible }).waitForPlayout()
    scope
      .until(said)
      .then((outcome) => {
        this.#shell.handle({ type: 'said', ending, how: outcome?.how, confirmed: outcome?.confirmed })
      })
      // The session is closing, so the goodbye no longer matters.
      .catch(noop)
  }

  /** Says that an answer failed. If that fails as well, it counts, but nothing more is said. */
  #apologise(words: string): void {
    const done = (): void => this.#shell.handle({ type: 'apologised' })
    this.stations?.answering.say(words).waitForPlayout().then(done, done)
  }

  // ── closing: the synchronous part ──

  #begin({ ask, also, cutOff }: CloseCommand): void {
    const { settings, events, scope, book, lastFailure } = this.#context
    const { hearing, answering, speaking } = this.stations ?? {}
    const { by } = ask
    this.optionsOf('close', ask, askNames)
    const reason = this.#knownReason(ask.reason)
    if (reason === 'error' && lastFailure) book.fail(lastFailure.error)
    const cutBy = also?.by ?? by
    if (cutBy === 'stallTimeout' || cutBy === 'endTimeout')
      this.#context.failed('ending', new EndCutError(cutBy))
    const options = scopeOptions({ ...ask, reason })
    const time = Number.isFinite(ask.closeTimeout) ? Math.max(0, ask.closeTimeout!) : settings.closeTimeout
    settings.logger.info({ session: settings.id, reason, by }, 'session closing')
    this.#context.onFinished = undefined
    // A step that throws must not keep the following ones from running.
    const failed = (step: string) => (error: unknown) => this.#context.failed(`closing: ${step}`, error)
    callOut(() => speaking?.mute(), failed('silence'))
    callOut(() => hearing?.stop(reason, time), failed('last words'))
    callOut(() => answering?.agents.unwind(), failed('agents'))
    const closed = scope.close(options)
    if (also) scope.close(scopeOptions(also)).catch(noop)
    this.#shell.handle({ type: 'begun' })
    const before: Ask[] = cutOff ? [asked(cutOff.ask, cutOff.askedAt - settings.clock.now())] : []
    closed.then((report) => this.#finish(reason, report, before)).catch(noop)
    events.emit('state', { state: 'closing' })
  }

  /** A reason without a meaning is a mistake, but a close must not throw: it is reported, and the close was requested. */
  #knownReason(reason: unknown): CloseReason {
    if (typeof reason === 'string' && Object.hasOwn(endings, reason)) return reason as CloseReason
    const known = Object.keys(endings).join(', ')
    this.#context.failed(
      'close',
      new OptionError(`there is no reason '${String(reason)}': use one of ${known}`),
    )
    return 'requested'
  }

  // ── closing: the end ──

  #finish(reason: CloseReason, scope: ScopeReport, before: readonly Ask[]): void {
    const { settings, book, events, recorder } = this.#context
    const { id: session, logger } = settings
    const { hearing, answering } = this.stations ?? {}
    if (hearing?.hasLastWords && !failures.has(reason)) hearing.keepLastWords()
    answering?.tools.end()
    const report = book.write(reason, scope, before, recorder?.report)
    const { took, clean } = report
    if (!scope.clean || took >= SLOW_STEP) logSteps(report, logger)
    logger.info({ session, reason, took, clean }, 'session closed')
    this.stations = undefined
    this.#context.recorder = undefined
    this.#resolve(report)
    this.#shell.handle({ type: 'closed' })
    events.emit('closed', report)
    if (report.startedAt !== undefined && settings.afterCall.length > 0)
      this.#afterCall = runAfterCall(report, settings)
  }
}

function asked({ reason, by }: CloseAsk, at: number): Ask {
  return Object.freeze({ reason, ...(by === undefined ? {} : { by }), at })
}

function scopeOptions({ reason, by, closeTimeout, from }: CloseAsk): CloseOptions {
  return {
    reason,
    ...(by === undefined ? {} : { by }),
    ...(closeTimeout === undefined ? {} : { closeTimeout }),
    ...(from === undefined ? {} : { from }),
  }
}
