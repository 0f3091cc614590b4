import { noop, type Scope, type TaskContext } from '../scope/index.ts'
import type { Closing, CloseAsk } from './closing.ts'
import type { Conversation } from './conversation.ts'
import { Ending } from './ending.ts'
import type { SessionState } from './events.ts'
import type { CloseReason, SessionReport } from './report.ts'
import type { SessionSettings } from './settings.ts'
import type { PlayoutOutcome } from './speech.ts'

export interface HangUpOptions {
  /** The last words. */
  say?: string
  /** Whether the caller can cancel the end by talking into it: no unless set. */
  cancellable?: boolean
  /** `agent-hung-up` unless set. */
  reason?: CloseReason
  by?: string
}

/** How a goodbye went (SP8). */
export type HangUpOutcome = 'confirmed' | 'unconfirmed' | 'cancelled'

/** What a graceful end needs of the session. */
export interface GracefulHost {
  readonly settings: SessionSettings
  readonly closing: Closing
  scope(): Scope<string>
  /** The conversation of a session that is live; throws if it is not. */
  live(what: string): Conversation
  state(): SessionState
  /** Sets the state and tells the listeners. */
  setState(state: 'live' | 'ending'): void
}

/**
 * The graceful ways to an end (CL3):
 *
 *   drain   ─▶ ending: no new work ─▶ the turn in flight is over ──────────────────────────────▶ close
 *   hang up ─▶ ending: no new work ─▶ the turn in flight is over ─▶ goodbye, heard to its end ─▶ close
 *                 │                                                    └─ the caller talks into it, if that may be ─▶ live
 *                 └─ stands still for stallTimeout, or reaches endTimeout ─────────────────────▶ close
 */
export class GracefulEnd {
  readonly #host: GracefulHost
  #ending: Ending | undefined

  constructor(host: GracefulHost) {
    this.#host = host
  }

  /** The one that is under way. */
  get current(): Ending | undefined {
    return this.#ending
  }

  /** The session is closed: nothing of it is kept. */
  forget(): void {
    this.#ending = undefined
  }

  /** Lets the turn in flight finish, its tools and its answer included, then closes. */
  async drain(ask: CloseAsk): Promise<SessionReport> {
    const { closing } = this.#host
    while (!this.#isClosing && this.#host.state() !== 'new') {
      // A goodbye that somebody else says is not cut off.
      if (this.#ending) {
        await this.#ending.over
        continue
      }
      const conversation = this.#host.live('drain')
      const ending = this.#begin(conversation, ask)
      if (await this.#idleAfter(ending, conversation)) return closing.close(ending.ask)
    }
    return this.#isClosing ? closing.closed : closing.close(ask)
  }

  /**
   * Lets the turn in flight finish, says goodbye to the end, waits until it was heard, and hangs up (SP8). A tool that
   * hangs up (`from`) is part of the turn in flight: that is not waited for then, and the tool not by the close.
   */
  async hangUp(options: HangUpOptions = {}, from?: TaskContext): Promise<HangUpOutcome> {
    const { say, cancellable = false, reason = 'agent-hung-up', by } = options
    const conversation = this.#host.live('hang up')
    const ending = this.#begin(conversation, { reason, by, from }, cancellable)
    if (!(from ? this.#goesOn(ending) : await this.#idleAfter(ending, conversation))) return 'unconfirmed'
    // A tool may be called in the middle of what the agent says: those words are heard to their end.
    if (say === undefined) await conversation.letSpeechFinish()
    const outcome = say === undefined ? undefined : await this.#goodbye(conversation, say, cancellable)
    if (!this.#goesOn(ending)) return 'unconfirmed'
    if (cancellable && outcome?.how === 'interrupted') {
      this.#resume(ending, conversation)
      return 'cancelled'
    }
    const closed = this.#host.closing.close(ending.ask)
    if (!from) await closed
    return say === undefined || (outcome?.how === 'played' && outcome.confirmed) ? 'confirmed' : 'unconfirmed'
  }

  get #isClosing(): boolean {
    return this.#host.state() === 'closing' || this.#host.state() === 'closed'
  }

  /** No new work; the turn in flight goes on. */
  #begin(conversation: Conversation, ask: CloseAsk, bargeIn = false): Ending {
    const { settings, closing } = this.#host
    const { stallTimeout, endTimeout } = settings
    const ending = new Ending(this.#host.scope(), ask, {
      stallTimeout,
      endTimeout,
      busyUntil: () => conversation.busyUntil,
      stuck: (by) => {
        closing.close({ ...ask, by }).catch(noop)
      },
    })
    this.#ending = ending
    this.#host.setState('ending')
    // A listener may have closed it.
    if (this.#goesOn(ending)) conversation.ending(bargeIn)
    return ending
  }

  /** Waits for the turn in flight. Returns whether the session is still on its way to this end. */
  async #idleAfter(ending: Ending, conversation: Conversation): Promise<boolean> {
    if (!this.#goesOn(ending)) return false
    await this.#host.scope().until(conversation.whenIdle()).catch(noop)
    return this.#goesOn(ending)
  }

  #goesOn(ending: Ending): boolean {
    return this.#ending === ending && !this.#isClosing
  }

  async #goodbye(
    conversation: Conversation,
    words: string,
    interruptible: boolean,
  ): Promise<PlayoutOutcome | undefined> {
    const speech = conversation.say(words, { interruptible })
    return this.#host
      .scope()
      .until(speech.waitForPlayout())
      .catch(() => undefined)
  }

  /** The caller talked into a goodbye that may be cancelled. */
  #resume(ending: Ending, conversation: Conversation): void {
    this.#ending = undefined
    ending.stop()
    conversation.live()
    this.#host.setState('live')
  }
}
