import { silentLogger, type Logger } from '../parts/index.ts'
import { callOut, noop, type Resource, type Scope } from '../scope/index.ts'
import { answerWithin } from './answer-within.ts'
import type { BaseCall } from './base-call.ts'
import { isolatedLogger } from './isolated-logger.ts'
import { limits } from './limits.ts'
import { deafOwner, type Peer } from './peer.ts'
import { RateLimit } from './rate-limit.ts'

/** Why a new call was refused: the server no longer takes calls, has no room, or takes no more per second. */
export type CallRefusal = 'CLOSING' | 'BUSY' | 'TOO_FAST'

export interface BaseCallsOptions {
  readonly scope: Scope<string>
  readonly maxCalls?: number
  readonly maxRate?: number
  readonly hasRoom?: () => boolean
  readonly onRefused?: (why: CallRefusal) => void
  readonly onChange?: () => void
  readonly logger?: Logger
  /** The name of the calls in the scope's report. */
  readonly name: string
  /** How long a peer may take to answer when it is closed. */
  readonly closePatience: number
}

/** Ended calls to remember. */
const REMEMBERED = 1_000

/** All calls of one kind: limits how many there are, has the user's code answer them, and ends them. */
export abstract class BaseCalls<Call extends BaseCall> implements Resource {
  /** @internal Owns everything that outlives a call. */
  readonly scope: Scope<string>
  protected readonly logger: Logger
  readonly #maxCalls: number
  readonly #closePatience: number
  readonly #hasRoom: () => boolean
  readonly #onRefused: (why: CallRefusal) => void
  readonly #onChange: () => void
  readonly #rate: RateLimit
  /** Calls that ring or are answered, by name. */
  readonly #active = new Map<string, Call>()
  /** Active calls, plus ended ones whose peer is still closing. */
  readonly #present = new Set<BaseCall>()
  /** Peers that no longer belong to a call, until they have left. */
  readonly #leaving = new Set<Peer>()
  /** Names of ended calls, the latest last. */
  readonly #past = new Set<string>()
  #taking = true

  constructor(options: BaseCallsOptions) {
    const { scope, maxCalls = 100, maxRate = 20, hasRoom = () => true, logger, name, closePatience } = options
    this.scope = scope
    this.logger = logger ? isolatedLogger(logger) : silentLogger
    this.#maxCalls = maxCalls
    this.#closePatience = closePatience
    this.#hasRoom = hasRoom
    this.#onRefused = options.onRefused ?? noop
    this.#onChange = options.onChange ?? noop
    this.#rate = new RateLimit({ perSecond: maxRate, burst: Math.max(1, maxRate) }, scope.clock.now())
    scope.own(name, this)
  }

  /** How many calls ring or are answered. */
  get size(): number {
    return this.#active.size
  }

  /** Whether this process knows a call of that name, ringing or answered. */
  has(id: string): boolean {
    return this.#active.has(id)
  }

  /** Whether a call has ended that is still remembered. */
  protected hasPassed(id: string): boolean {
    return this.#past.has(id)
  }

  /** Remembers a call that has ended, up to a limit: a late request must not start it again. */
  protected remember(id: string): void {
    this.#past.delete(id)
    this.#past.add(id)
    const [oldest] = this.#past
    if (this.#past.size > REMEMBERED && oldest !== undefined) this.#past.delete(oldest)
  }

  /** @internal Whether a new call would be accepted, unless too many come per second. */
  get hasRoom(): boolean {
    return this.scope.state === 'live' && this.#taking && !this.isFull
  }

  /** Takes no more calls: they are refused, or sent elsewhere. Those under way go on, and their peers may come back. */
  stopTaking(): void {
    this.#taking = false
  }

  /** The call goes on in another process: when it ends here, the far end is not asked to end it. */
  letGo(id: string): void {
    this.#active.get(id)?.letGo()
  }

  /** Does so for all calls, also those that no session has answered yet. */
  letGoAll(): void {
    for (const call of this.#active.values()) call.letGo()
  }

  closing(): void {
    for (const call of this.#active.values()) call.dismiss('closing')
  }

  async close(): Promise<void> {
    for (const peer of this.#leaving) peer.abort()
    await Promise.all([...this.#present].map((call) => call.released()))
  }

  abort(): void {
    for (const call of this.#present) call.cut()
    for (const peer of this.#leaving) peer.abort()
  }

  inspect(): object {
    return { calls: this.#active.size }
  }

  /** @internal */
  ended(id: string, released: Promise<void>): void {
    const call = this.#active.get(id)
    this.#active.delete(id)
    this.changed()
    released.then(() => call && this.#present.delete(call)).catch(noop)
  }

  /** @internal */
  turnAway(peer: Peer, code: number, reason: string): void {
    const { scope } = this
    const live = scope.state === 'live'
    const cut = live
      ? scope.after(this.#closePatience, 'end of a peer that was turned away', () => peer.abort())
      : undefined
    peer.owner = deafOwner(() => {
      cut?.clear()
      this.#leaving.delete(peer)
    })
    this.#leaving.add(peer)
    peer.close(code, reason)
    if (!live) peer.abort()
  }

  /** The number of calls has changed. */
  protected changed(): void {
    callOut(this.#onChange, noop)
  }

  protected find(id: string): Call | undefined {
    return this.#active.get(id)
  }

  /** Whether new calls are taken. */
  protected get isTaking(): boolean {
    return this.#taking
  }

  /** Whether there is no room for another call. */
  protected get isFull(): boolean {
    return this.#active.size >= this.#maxCalls || !this.#agrees()
  }

  /** Returns why another call is refused. If it is not refused, counts it towards the rate limit. */
  protected refusal(): CallRefusal | undefined {
    const why = this.#refusal()
    if (why) callOut(() => this.#onRefused(why), noop)
    return why
  }

  /** Returns why no call can be started here that connects later: there is room neither in this process nor in others. */
  protected async startRefusal(
    hasRoomElsewhere: (() => Promise<boolean>) | undefined,
  ): Promise<CallRefusal | undefined> {
    const { scope } = this
    const unknown = (error: unknown): false => {
      this.logger.error({ error }, 'whether another process has room is not known')
      return false
    }
    const isTakenElsewhere =
      !this.hasRoom &&
      hasRoomElsewhere !== undefined &&
      (await answerWithin(scope, limits.roomElsewhere, 'hasRoomElsewhere', hasRoomElsewhere).catch(unknown))
    return isTakenElsewhere ? undefined : this.refusal()
  }

  #refusal(): CallRefusal | undefined {
    if (this.scope.state !== 'live' || !this.#taking) return 'CLOSING'
    if (this.isFull) return 'BUSY'
    return this.#rate.take(this.scope.clock.now()) ? undefined : 'TOO_FAST'
  }

  /** Asks the user's own check. A check that fails cannot say that there is room. */
  #agrees(): boolean {
    const failed = (error: unknown): void => this.logger.error({ error }, 'hasRoom failed')
    return callOut(this.#hasRoom, failed) === true
  }

  /** A call begins. `answer` is the user's code: it may throw, now or later, which refuses the call. */
  protected begin(call: Call, answer: () => unknown): void {
    this.#active.set(call.id, call)
    this.#present.add(call)
    this.changed()
    new Promise((resolve) => resolve(answer())).catch((error: unknown) => {
      this.logger.warn({ call: call.id, error }, 'a call could not be answered')
      // Once a session has answered, the session ends the call.
      if (!call.answered) call.dismiss('unanswered')
    })
  }
}
