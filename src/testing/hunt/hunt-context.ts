import {
  installHooks,
  type Context,
  type LateOrigin,
  type Opened,
  type Refusal,
  type Runtime,
} from '../../guard/hooks.ts'
import { timeText } from '../../report/index.ts'
import { EndwellError } from '../../scope/index.ts'
import type { CodeRun } from './code-run.ts'
import type { SimClock } from '../sim-clock.ts'
import type { SimRandom } from '../sim-random.ts'
import type { Servers } from './servers.ts'
import type { Fetch, VirtualPlatform } from './virtual-globals.ts'
import { VirtualTimer } from './virtual-timer.ts'

/** The number of hunted code for the guard's hooks: the same for all calls, because they share connection pools. */
const HUNT = -1

/** Hunted code wanted to connect to another machine. */
class HuntOfflineError extends EndwellError {
  constructor(what: string) {
    super(
      'HUNT_OFFLINE',
      `${what}: a hunt connects to this machine only. Allow it with --online, or mock the tool`,
    )
  }
}

/** Hunted code has called `process.exit()`. */
class HuntExitError extends EndwellError {
  constructor(code: number | string | null | undefined) {
    super('HUNT', `process.exit(${code ?? ''}) ends every call in the process`)
  }
}

/** An error that nothing has caught. */
export interface UncaughtError {
  readonly origin: LateOrigin
  readonly error: unknown
  readonly at: number
  /** The function whose code it was. */
  readonly run: CodeRun
}

export interface HuntContextOptions {
  readonly clock: SimClock
  readonly random: SimRandom
  readonly servers: Servers
  /** Whether to record where timers are started and things are opened, which costs time. */
  readonly stacks: boolean
  /** Whether connections to other machines are made. */
  readonly online: boolean
  /** Gets everything that is opened, until it has ended. */
  readonly open: Set<Opened>
  /** Called when code begins to wait for a timer or for an answer, with a description of it. */
  readonly onWait: (run: CodeRun, what: string) => void
}

/** The context of one run of a function of the agent: what it opens, starts and throws is recorded with the run. */
export class HuntContext implements Context, VirtualPlatform {
  readonly type = 'guard'
  readonly id = HUNT
  readonly run: CodeRun
  readonly #options: HuntContextOptions
  readonly #uncaught: UncaughtError[]

  constructor(run: CodeRun, uncaught: UncaughtError[], options: HuntContextOptions) {
    this.run = run
    this.#uncaught = uncaught
    this.#options = options
  }

  // ── the guard's hooks ──

  refuse(what: string): Refusal | undefined {
    const { online } = this.#options
    const [, to] = /^connect to (.*)$/.exec(what) ?? []
    if (online || to === undefined || isThisMachine(to)) return undefined
    this.run.refused.add(to)
    return { error: new HuntOfflineError(what), delay: 0 }
  }

  opened(opened: Opened): void {
    this.run.opened.set(opened, this.#stack())
    this.#options.open.add(opened)
    opened.onEnd(() => {
      this.run.opened.delete(opened)
      this.#options.open.delete(opened)
    })
  }

  /** No-op: hunted code has virtual timers. */
  timer(): void {}

  /** No-op: pools belong to the process. */
  agent(): void {}

  dispatcher(): undefined {
    return undefined
  }

  late(error: unknown, origin: LateOrigin): boolean {
    this.#uncaught.push({ origin, error, at: this.#options.clock.now(), run: this.run })
    return true
  }

  // ── the platform ──

  now(): number {
    return this.#options.clock.now()
  }

  date(): number {
    return Math.floor(this.#options.clock.date())
  }

  random(): number {
    return this.#options.random.next()
  }

  start(ms: number, repeats: boolean, callback: () => unknown): VirtualTimer {
    const { timers } = this.run
    const timer = new VirtualTimer(this.#options.clock, {
      ms,
      repeats,
      callback,
      ended: (ended) => timers.delete(ended),
      failed: (error) => this.late(error, 'uncaughtException'),
      stack: this.#stack(),
    })
    timers.add(timer)
    this.#options.onWait(this.run, repeats ? `every ${timeText(ms)}` : timeText(ms))
    return timer
  }

  async fetch(input: string | URL | Request, init: RequestInit | undefined, own: Fetch): Promise<Response> {
    const { servers, clock, online, onWait } = this.#options
    const request = new Request(input, init)
    const { hostname, host } = new URL(request.url)
    if (online || isThisMachine(`${hostname}:`)) return own(request)
    this.run.requests++
    this.run.unanswered++
    this.run.refused.add(host)
    onWait(this.run, `for ${host}`)
    try {
      return await servers.answer(request, clock)
    } finally {
      this.run.unanswered--
    }
  }

  exit(code: number | string | null | undefined): never {
    const error = new HuntExitError(code)
    this.run.exits.push(error)
    throw error
  }

  #stack(): string | undefined {
    return this.#options.stacks ? new Error('here').stack : undefined
  }
}

/** Whether an address is of this machine: `host:port`, or the path of a socket. */
function isThisMachine(to: string): boolean {
  const host = to.replace(/:[^:]*$/, '')
  return to.startsWith('/') || /^(localhost|127(\.\d+){3}|\[?::1\]?|.*\.localhost)$/i.test(host)
}

let hooks: Runtime | undefined

/** The hooks in Node that contexts need. Installed by the first hunt, and not when this module is loaded. */
export function huntHooks(): Runtime {
  return (hooks ??= installHooks())
}

/** The context of the hunted code that is running. Undefined for all other code. */
export function contextOfHunt(): HuntContext | undefined {
  if (hooks === undefined || hooks.contexts === 0) return undefined
  const store: unknown = hooks.storage.getStore()
  return store instanceof HuntContext ? store : undefined
}
