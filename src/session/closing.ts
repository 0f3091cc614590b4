import { noop, type Ask, type Scope, type ScopeReport, type TaskContext } from '../scope/index.ts'
import { runAfterCall } from './after-call.ts'
import type { Conversation } from './conversation.ts'
import type { Ending } from './ending.ts'
import { forcedSteps } from './forced-steps.ts'
import { isDrop, type CloseReason, type SessionReport } from './report.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionSettings } from './settings.ts'

/** Why, who, and within how many milliseconds. */
export interface CloseAsk {
  readonly reason: CloseReason
  readonly by?: string | undefined
  readonly closeTimeout?: number | undefined
  /** The task that asks, if it is one of the session: nobody will wait for it. */
  readonly from?: TaskContext | undefined
}

/** What closing needs of the session. */
export interface ClosingHost {
  readonly settings: SessionSettings
  readonly book: SessionBook
  /** Owns everything; made now if nothing was owned so far. */
  scope(): Scope<'work' | 'rest'>
  conversation(): Conversation | undefined
  /** The graceful end under way. */
  ending(): Ending | undefined
  /** From here on nothing is admitted. No listener is told yet. */
  shut(): void
  /** Tells the listeners that the session is closing. */
  tell(): void
  /** The session is closed: its last event. */
  over(report: SessionReport): void
  failed(where: string, error: unknown): void
}

/**
 * How a session closes: once, by whatever door. Everything else is the scope's work (SC3, SC11, SC12).
 *
 *  drain · hangUp · caps ─▶ ending: new work refused, the turn in flight finishes, bounded on stall
 *                              │
 *  close() · line lost ────────┴─▶ begin     synchronous: state, silence, no more turns, intent, cancel
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
 *  over: the report · one `closed` event · the same report for everybody · after-call handlers, each bounded
 */
export class Closing {
  /** Everybody who asks gets this. */
  readonly closed: Promise<SessionReport>
  readonly #host: ClosingHost
  #resolve!: (report: SessionReport) => void
  #stage: 'open' | 'beginning' | 'running' | 'over' = 'open'
  /** Asks that came out of the listeners and signals that the beginning itself has touched. */
  readonly #meanwhile: CloseAsk[] = []
  #afterCall: Promise<void> = Promise.resolve()

  constructor(host: ClosingHost) {
    this.#host = host
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Settles when the work after the call is done, too. */
  get afterCall(): Promise<void> {
    return this.closed.then(() => this.#afterCall)
  }

  /** The one way in. Never rejects and never throws. */
  close(ask: CloseAsk): Promise<SessionReport> {
    if (this.#stage === 'open') this.#begin(ask)
    else if (this.#stage === 'beginning') this.#meanwhile.push(ask)
    else if (this.#stage === 'running') this.#also(ask)
    return this.closed
  }

  // ── the synchronous part ──

  #begin(ask: CloseAsk): void {
    const { settings } = this.#host
    const conversation = this.#host.conversation()
    const ending = this.#host.ending()
    const first = nameOf(ask, ending)
    this.#stage = 'beginning'
    this.#host.shut()
    settings.logger.info({ session: settings.id, reason: first.reason, by: first.by }, 'session closing')
    ending?.stop()
    if (conversation) {
      this.#step('silence', () => conversation.mute())
      this.#step('last words', () => this.#lastWords(conversation, { ...ask, reason: first.reason }))
      this.#step('agents', () => conversation.agents.unwind())
    }
    const closed = this.#tellScope({ ...ask, reason: first.reason, by: first.by })
    if (first !== ask && ending?.ask !== ask) this.#also(ask)
    for (const later of this.#meanwhile) this.#also(later)
    this.#stage = 'running'
    const before = ending && first !== ending.ask ? [asked(ending, settings.clock.now())] : []
    closed.then((report) => this.#over(first.reason, report, before)).catch(noop)
    this.#host.tell()
  }

  /** The user's last words are waited for, if there are any on their way, unless something broke (CL6). */
  #lastWords(conversation: Conversation, { reason, closeTimeout }: CloseAsk): void {
    const { settings } = this.#host
    if (!conversation.stopTurns() || isFailure(reason)) return
    const time = Number.isFinite(closeTimeout) ? Math.max(0, closeTimeout!) : settings.closeTimeout
    // Half of the time at most: the other half belongs to the links, which end whatever is said.
    const wait = Math.min(settings.lastWordsTimeout, (time * 0.9) / 2)
    this.#host.scope().defer('last words', () => conversation.lastWords(wait), { phase: 'work', cap: wait })
  }

  #tellScope({ reason, by, closeTimeout, from }: CloseAsk): Promise<ScopeReport> {
    return this.#host.scope().close({
      reason,
      ...(by === undefined ? {} : { by }),
      ...(closeTimeout === undefined ? {} : { closeTimeout }),
      ...(from === undefined ? {} : { from }),
    })
  }

  /** Somebody else wants it closed, too: it is noted, and may bring the deadline nearer. */
  #also(ask: CloseAsk): void {
    this.#tellScope(ask).catch(noop)
  }

  /** What fails on the way to silence must not keep anything open. */
  #step(name: string, step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#host.failed(`closing: ${name}`, error)
    }
  }

  // ── the end ──

  #over(reason: CloseReason, scope: ScopeReport, before: readonly Ask[]): void {
    const { settings, book } = this.#host
    const conversation = this.#host.conversation()
    const { id: session, clock, logger, afterCall, afterCallTimeout, onLate, intercept } = settings
    if (conversation && !isFailure(reason)) this.#step('last words', () => conversation.keepLastWords())
    const report = book.write(reason, scope, conversation, before)
    for (const { forced, ...step } of forcedSteps(report.scope)) {
      if (forced) logger.warn({ session, ...step }, 'a step of the close was forced or failed')
      else logger.info({ session, ...step }, 'a step of the close was slow')
    }
    const { took, clean } = report
    logger.info({ session, reason, took, clean }, 'session closed')
    this.#stage = 'over'
    this.#resolve(report)
    this.#host.over(report)
    if (report.startedAt === undefined) return
    this.#afterCall = runAfterCall(afterCall, report, {
      clock,
      timeout: afterCallTimeout,
      logger,
      onLate,
      intercept,
    })
  }
}

/** The first trigger names the reason (CL2). A goodbye that was cut off by a drop is a drop: that is never hidden. */
function nameOf(ask: CloseAsk, ending: Ending | undefined): CloseAsk {
  return ending && !isDrop(ask.reason) ? ending.ask : ask
}

function asked({ ask: { reason, by }, askedAt }: Ending, now: number): Ask {
  return Object.freeze({ reason, ...(by === undefined ? {} : { by }), at: askedAt - now })
}

const isFailure = (reason: CloseReason): boolean => reason === 'error' || reason === 'start-failed'
