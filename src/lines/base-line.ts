import type { AudioFormat } from '../audio/index.ts'
import type { Line, LineConnection, LineEvents, PartContext } from '../parts/index.ts'
import type { BaseCall } from './base-call.ts'
import { CallerGoneError, LineTakenError } from './errors.ts'

/** A line to one caller, who has already called. Pass it to one session. */
export abstract class BaseLine implements Line {
  abstract readonly name: string
  abstract readonly hears: AudioFormat
  abstract readonly speaks: AudioFormat
  /** Names the call. */
  readonly id: string
  readonly #call: BaseCall
  readonly #closePatience: number

  /** @internal */
  constructor(call: BaseCall, closePatience: number) {
    this.id = call.id
    this.#call = call
    this.#closePatience = closePatience
  }

  /** Whether a session has opened the line. */
  get answered(): boolean {
    return this.#call.answered
  }

  /** Answers the call. Resolves when the caller is connected. */
  async open(context: PartContext, events: LineEvents): Promise<LineConnection> {
    const call = this.#call
    const { scope } = context
    if (call.answered) throw new LineTakenError(this.id)
    if (call.hasEnded) {
      // The session ends because the caller hung up, not because its start failed.
      if (call.callerHungUp) events.hungUp()
      throw new CallerGoneError(this.id)
    }
    if (scope.state !== 'live') call.dismiss('unanswered')
    scope.signal.throwIfAborted()
    const connected = call.answer(context, events)
    // The scope owns the call before its peer has joined: a call that is being connected must be ended like any other.
    scope.own(this.name, call, { cap: this.#closePatience })
    await scope.until(connected)
    return call
  }

  /** @internal Refuses the call, or cuts it off. */
  abort(): void {
    this.#call.cut()
  }
}
