import type { Timer } from './clock.ts'
import { attempt } from './edge.ts'
import type { LateSink, Ledger } from './ledger.ts'
import { Owned } from './owned.ts'
import type { StepOutcome } from './report.ts'

/**
 * Work that is done when the scope closes: a flush, a last write. If the deadline comes first it is not thrown away
 * but goes on in the background, for `releaseTimeout` at most (SC14).
 */
export class Deferred extends Owned {
  readonly kind = 'deferred'
  /** Gone once it has begun: work that never ends must not keep all that it knows (SC9). */
  #work: ((signal: AbortSignal) => unknown) | undefined
  readonly #cap: number | undefined
  #beganAt: number | undefined
  #late: LateSink | undefined
  #releaseTimer: Timer | undefined

  constructor(
    ledger: Ledger,
    name: string,
    phase: number,
    work: (signal: AbortSignal) => unknown,
    cap: number | undefined,
  ) {
    super(ledger, name, phase)
    this.#work = work
    this.#cap = cap
  }

  override begin(): void {
    const { ledger } = this
    if (!ledger || this.#beganAt !== undefined) return
    this.#beganAt = ledger.clock.now()
    const work = ledger.intercepted('deferred', this.name, this.#work!)
    this.#work = undefined
    // Bound functions, because closures would keep the work alive for as long as it runs, and all that it knows (SC9).
    attempt(() => work(this.signal), this.#end.bind(this, 'done', undefined), this.#failed.bind(this))
  }

  #failed(error: unknown): void {
    this.#end('failed', error)
  }

  hold(share: number): number {
    return Math.min(this.#cap ?? share, share)
  }

  /** The deadline is here. What did not begin for lack of time begins now; what is unfinished goes on behind. */
  force(): void {
    this.begin()
    const ledger = this.leave()
    if (!ledger?.closing) return
    const { reason, background } = ledger.closing
    const late = ledger.abandon(this)
    this.#late = (outcome) => {
      this.#releaseTimer?.clear()
      this.#releaseTimer = undefined
      late(outcome)
      background.leave()
    }
    background.enter()
    this.#releaseTimer = ledger.clock.after(
      ledger.settings.releaseTimeout,
      `release of '${this.name}'`,
      () => {
        this.#tooLate({ outcome: 'timed-out' })
        this.cancelWith(reason)
      },
    )
    ledger.closing.recordStep(this, 'pending', this.#beganAt, false)
    ledger.ended(this, 'pending')
  }

  /** Nobody needs the work any more. */
  forget(): void {
    this.leave()?.ended(this, 'done')
  }

  #end(outcome: StepOutcome & ('done' | 'failed'), error?: unknown): void {
    const ledger = this.leave()
    if (!ledger) return this.#tooLate(outcome === 'done' ? { outcome: 'ended' } : { outcome, error })
    ledger.closing?.recordStep(this, outcome, this.#beganAt, false, error)
    ledger.ended(this, outcome)
  }

  #tooLate(outcome: Parameters<LateSink>[0]): void {
    const late = this.#late
    this.#late = undefined
    late?.(outcome)
  }
}

/** Counts the deferred work that outlived its scope. */
export class Background {
  #count = 0
  #idle: (() => void) | undefined
  #promise: Promise<void> | undefined

  enter(): void {
    this.#count++
  }

  leave(): void {
    if (--this.#count === 0) this.#idle?.()
  }

  /** Resolves when all of it has ended or run out of time. */
  get idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return (this.#promise ??= new Promise((resolve) => {
      this.#idle = resolve
    }))
  }
}
