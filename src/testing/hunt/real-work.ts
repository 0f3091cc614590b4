import { drain } from '../drain.ts'
import type { SimClock } from '../sim-clock.ts'
import type { CodeRun, Patience } from './code-run.ts'
import type { HuntedCode } from './hunted-code.ts'
import { limits } from './limits.ts'
import { realNow, realSleep } from './virtual-globals.ts'

/** Kinds of active resources that are no work which code may be waiting for. */
const ignored = new Set(['CloseReq', 'Immediate', 'SignalWrap', 'TTYWrap', 'TickObject', 'Timeout'])

/** Loop turns without a pause before the hunt sleeps between them. Most work on files takes fewer. */
const QUICK_TURNS = 20
const PAUSE = 1

/**
 * What a hunt has learned about the functions of an agent that wait for something real. Work in native threads and answers on
 * connections that calls share cannot be seen: a function that may be waiting for these gets some patience when it first runs,
 * and more if that has helped.
 */
export class RealFunctions {
  readonly #seenInVain = new Set<string>()
  readonly #unseenInVain = new Set<string>()
  readonly #helped = new Set<string>()
  readonly #online: boolean
  /** Functions that have waited for something real. */
  readonly known = new Set<string>()

  constructor(online: boolean) {
    this.#online = online
  }

  patience(label: string): Patience {
    const seen = this.#online ? limits.realTime : limits.longPatience
    const unseen = this.#unseenInVain.has(label) ? 0 : limits.patience
    return {
      seen: this.#seenInVain.has(label) ? limits.shortPatience : seen,
      unseen: this.#helped.has(label) ? seen : unseen,
    }
  }

  /** A function did not end although it was waited for. */
  inVain(label: string, what: keyof Patience): void {
    if (what === 'seen') this.#seenInVain.add(label)
    else this.#unseenInVain.add(label)
  }

  /** A function ended while it was waited for, without anything to be seen. */
  hasHelped(label: string): void {
    this.#helped.add(label)
    this.known.add(label)
  }
}

/**
 * Lets real time pass while hunted code waits for something real: a file, a socket, a process. Work in native threads, such as
 * hashing, cannot be seen: code that is not known to wait for a timer gets a moment for it, while virtual time stands still.
 */
export class RealWork {
  readonly #code: HuntedCode
  readonly #functions: RealFunctions
  /** What was active before the call: connections that calls share, and the process's own. */
  readonly #before = activeKinds()
  #spent = 0
  #turns = 0

  constructor(code: HuntedCode, functions: RealFunctions) {
    this.#code = code
    this.#functions = functions
  }

  /** Real milliseconds that the call has waited. */
  get spent(): number {
    return this.#spent
  }

  readonly wait = (clock: SimClock): boolean | Promise<boolean> => {
    const { running } = this.#code
    if (running.size === 0 || this.#spent >= limits.realTime) return false
    if (this.#isActive()) {
      const waiting = [...running].filter(({ patience }) => patience.seen > 0)
      if (waiting.length > 0) return this.#pass(clock, waiting)
    }
    // A timer may be a limit of the work that is really awaited, on a connection that calls share.
    const mayShare = this.#before.has('TCPSocketWrap') || this.#before.has('TLSWrap')
    const waiting = [...running].filter((run) => run.patience.unseen > 0 && (mayShare || !run.isAccountedFor))
    if (waiting.length > 0) return this.#standStill(waiting)
    this.#turns = 0
    return false
  }

  /** Lets time pass as it really does. */
  async #pass(clock: SimClock, waiting: readonly CodeRun[]): Promise<boolean> {
    for (const run of waiting) if (!run.isAccountedFor) this.#functions.known.add(run.label)
    clock.jump(await this.#turn(waiting, 'seen'))
    // No virtual event has happened meanwhile: what ended did so because of something real.
    for (const run of waiting) if (!run.isRunning) this.#functions.known.add(run.label)
    return true
  }

  /** Waits a moment, in which no virtual time passes. */
  async #standStill(waiting: readonly CodeRun[]): Promise<boolean> {
    await this.#turn(waiting, 'unseen')
    for (const run of waiting) if (!run.isRunning) this.#functions.hasHelped(run.label)
    return true
  }

  async #turn(waiting: readonly CodeRun[], what: keyof Patience): Promise<number> {
    const before = realNow()
    await (this.#turns++ < QUICK_TURNS ? drain() : realSleep(PAUSE))
    const ms = realNow() - before
    this.#spent += ms
    for (const run of waiting) {
      run.patience[what] -= ms
      if (run.isRunning && run.patience[what] <= 0) this.#functions.inVain(run.label, what)
    }
    return ms
  }

  #isActive(): boolean {
    for (const [kind, count] of activeKinds()) if (count > (this.#before.get(kind) ?? 0)) return true
    return false
  }
}

/** What keeps the process alive, by kind. */
function activeKinds(): ReadonlyMap<string, number> {
  const kinds = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo())
    if (!ignored.has(kind)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  return kinds
}
