import type { ClaimedWork, WorkOutcome } from '../../../src/host/journal/journal.ts'
import { limits } from '../../../src/host/work/limits.ts'
import type {
  ClaimedItem,
  HandlerResult,
  WorkCommand,
  WorkEvent,
  WorkTimer,
} from '../../../src/host/work/work-events.ts'
import { WorkMachine } from '../../../src/host/work/work-machine.ts'

export const settings = { concurrency: 3, timeout: 60_000, lease: 30_000 }
export const DAY = 24 * 3_600_000

type Command<Type extends WorkCommand['type']> = Extract<WorkCommand, { readonly type: Type }>
type Happening = WorkEvent extends infer Event
  ? Event extends object
    ? Omit<Event, 'at' | 'jitter'>
    : never
  : never

/** A cheap `expect`, which would otherwise take most of the time here. */
export function must(holds: boolean, violation: string): void {
  if (!holds) throw new Error(violation)
}

const work = (key: string, attempt = 1, fence = attempt): ClaimedWork =>
  ({ key, call: 'c1', handler: 'save', fence, attempt, since: 0, report: {} }) as unknown as ClaimedWork

export const item = (key: string, attempt = 1, options: Partial<ClaimedItem> = {}): ClaimedItem => ({
  work: work(key, attempt),
  age: 0,
  known: true,
  ...options,
})

/** Drives a machine and throws at the first command that breaks a rule, judging by events and commands alone. */
export class WorkMonitor {
  readonly machine = new WorkMachine(settings)
  readonly timers = new Map<WorkTimer, number>()
  now = 0
  jitter = 0.5
  claiming: number | undefined
  renewing: Command<'renew'>['work'] | undefined
  releasing = false
  stopped = false
  closing = false
  /** The fence of each outcome that is being written, by attempt. */
  readonly settling = new Map<number, Command<'settle'>>()
  /** Handlers that run, and those of them that were cancelled or abandoned. */
  readonly running = new Map<number, ClaimedWork>()
  readonly cancelled = new Map<number, string>()
  readonly abandoned = new Set<number>()
  /** Attempts whose claim is lost: their outcome must not be written. */
  readonly lost = new Set<number>()
  readonly outcomes: { readonly key: string; readonly outcome: WorkOutcome }[] = []

  handle(event: Happening): WorkCommand[] {
    const commands = this.machine.handle({ ...event, at: this.now, jitter: this.jitter })
    for (const command of commands) this.#check(command)
    this.#checkState()
    return commands
  }

  #check(command: WorkCommand): void {
    must(!this.stopped, `${command.type} after the end`)
    switch (command.type) {
      case 'set-timer':
        must(command.at >= this.now, `${command.timer} is late`)
        this.timers.set(command.timer, command.at)
        break
      case 'clear-timer':
        this.timers.delete(command.timer)
        break
      case 'claim': {
        must(this.claiming === undefined, 'two claims at once')
        must(!this.closing, 'claims while closing')
        const active = this.running.size - this.abandoned.size
        must(command.limit > 0 && command.limit + active <= settings.concurrency, 'claims more than fits')
        this.claiming = command.limit
        break
      }
      case 'renew':
        must(this.renewing === undefined, 'two renewals at once')
        must(command.work.length > 0, 'renews nothing')
        this.renewing = command.work
        break
      case 'run':
        must(!this.closing, 'runs a handler while closing')
        must(!this.running.has(command.attempt), 'runs an attempt twice')
        this.running.set(command.attempt, command.work)
        must(this.running.size - this.abandoned.size <= settings.concurrency, 'too many handlers run')
        break
      case 'cancel':
        must(this.running.has(command.attempt), 'cancels what does not run')
        must(!this.cancelled.has(command.attempt), 'cancels twice')
        this.cancelled.set(command.attempt, command.cause)
        if (command.cause === 'lost') this.lost.add(command.attempt)
        break
      case 'abandon':
        must(this.cancelled.has(command.attempt), 'abandons what was not cancelled')
        this.abandoned.add(command.attempt)
        break
      case 'settle': {
        const { attempt } = command
        must(!this.settling.has(attempt), 'writes an outcome twice at once')
        must(!this.lost.has(attempt), 'writes the outcome of lost work')
        must(!this.running.has(attempt) || this.abandoned.has(attempt), 'writes before the handler ended')
        this.settling.set(attempt, command)
        break
      }
      case 'release':
        must(this.closing && !this.releasing, 'releases at the wrong time')
        this.releasing = true
        break
      case 'stopped':
        this.stopped = true
        break
    }
  }

  #checkState(): void {
    if (this.stopped) return must(this.timers.size === 0, 'timers after the end')
    const awaited = [...this.settling.keys()].length > 0 || this.renewing !== undefined
    const attempts = this.machine.state.attempts.size
    must(attempts === 0 || awaited || this.timers.size > 0, 'waits without a bound')
    must(attempts === 0 || this.renewing !== undefined || this.timers.has('renew'), 'claims are not renewed')
    // Nothing polls, and nothing sleeps for ever: a wake that was lost costs `recheck` at most.
    if (this.closing || this.claiming !== undefined || attempts >= settings.concurrency) return undefined
    return must((this.timers.get('claim') ?? 0) <= this.now + limits.recheck, 'sleeps for ever')
  }

  claimed(items: readonly ClaimedItem[], nextIn?: number): WorkCommand[] {
    this.claiming = undefined
    return this.handle({ type: 'claimed', items, ...(nextIn === undefined ? {} : { nextIn }) })
  }

  ended(attempt: number, result: HandlerResult): WorkCommand[] {
    this.running.delete(attempt)
    this.abandoned.delete(attempt)
    return this.handle({ type: 'ended', attempt, result })
  }

  settled(attempt: number, written = true): WorkCommand[] {
    const { work: settled, outcome } = this.settling.get(attempt)!
    this.settling.delete(attempt)
    if (written) this.outcomes.push({ key: settled.key, outcome })
    return this.handle({ type: 'settled', attempt, written })
  }

  settleFailed(attempt: number): WorkCommand[] {
    this.settling.delete(attempt)
    return this.handle({ type: 'settle-failed', attempt })
  }

  renewed(keys: readonly string[]): WorkCommand[] {
    this.renewing = undefined
    return this.handle({ type: 'renewed', keys })
  }

  close(type: 'close' | 'hurry' = 'close'): WorkCommand[] {
    this.closing = true
    return this.handle({ type })
  }

  /** Fires the next timer. Returns false if none is set. */
  fire(): boolean {
    const [next] = [...this.timers].toSorted(([, one], [, two]) => one - two)
    if (!next) return false
    const [timer, due] = next
    this.timers.delete(timer)
    this.now = Math.max(this.now, due)
    this.handle({ type: 'timer', timer, due })
    return true
  }

  /** Fires timers until something happens, and keeps the claims meanwhile. */
  fireUntil(met: () => boolean): void {
    for (let fired = 0; !met(); fired++) {
      must(fired < 1_000 && this.fire(), 'it did not happen')
      if (this.renewing) this.renewed(this.renewing.map(({ key }) => key))
      if (this.claiming !== undefined) this.claimed([])
    }
  }

  /** Runs one piece of work and returns what becomes of it. */
  outcomeOf(claimed: ClaimedItem, result: HandlerResult): WorkOutcome {
    this.handle({ type: 'wake' })
    this.claimed([claimed])
    const [attempt] = this.running.keys()
    this.ended(attempt!, result)
    const { outcome } = this.settling.get(attempt!)!
    this.settled(attempt!)
    return outcome
  }
}
