import type { Timer } from './clock.ts'
import { attempt } from './edge.ts'
import { Owned, type LateSink, type Owner } from './owned.ts'
import type { Problems } from './problems.ts'

/**
 * Work that runs when the scope closes, such as a flush or a last write. Work that is unfinished at the deadline is not
 * cut: it continues in the background for up to `releaseTimeout` (SC14).
 */
export class Deferred extends Owned {
  readonly kind = 'deferred'
  /** Undefined once the work has begun: work that never ends must not keep its closure alive (SC9). */
  #work: ((signal: AbortSignal) => unknown) | undefined
  readonly #cap: number | undefined
  #beganAt: number | undefined
  #late: LateSink | undefined
  #releaseTimer: Timer | undefined
  readonly #problems: Problems

  constructor(
    ledger: Owner,
    name: string,
    phase: number,
    work: (signal: AbortSignal) => unknown,
    cap: number | undefined,
  ) {
    super(ledger, name, phase)
    this.#work = work
    this.#cap = cap
    this.#problems = ledger.problems
  }

  /** Also after it has left the ledger: its errors may come later than its end. */
  protected override get problems(): Problems {
    return this.#problems
  }

  override begin(): void {
    const { ledger } = this
    if (!ledger || this.#beganAt !== undefined) return
    this.#beganAt = ledger.clock.now()
    const work = ledger.intercepted('deferred', this.name, this.#work!)
    this.#work = undefined
    // Bound functions: closures would keep the work alive for as long as it runs (SC9).
    attempt(() => work(this.signal), this.#end.bind(this, 'done', undefined), this.#failed.bind(this))
  }

  #failed(error: unknown): void {
    this.#end('failed', error)
  }

  hold(share: number): number {
    return Math.min(this.#cap ?? share, share)
  }

  /** Begins work that had no time to begin, and moves unfinished work to the background. */
  force(): void {
    this.begin()
    const ledger = this.leave()
    if (!ledger?.closing) return
    const { reason, background } = ledger.closing
    const late = ledger.abandon(this)
    const endsLate: typeof late = (outcome) => {
      this.#releaseTimer?.clear()
      this.#releaseTimer = undefined
      late(outcome)
      background.leave()
    }
    this.#late = endsLate
    background.enter()
    this.#releaseTimer = ledger.clock.after(
      ledger.settings.releaseTimeout,
      `release of '${this.name}'`,
      () => {
        this.#endLate({ outcome: 'timed-out' })
        this.cancelWith(reason)
      },
    )
    ledger.closing.builder.addStep(this, 'pending', this.#beganAt, false)
    ledger.ended(this, 'pending')
  }

  /** Removes the work before it has run. */
  revoke(): void {
    this.leave()?.ended(this, 'done')
  }

  #end(outcome: 'done' | 'failed', error?: unknown): void {
    const ledger = this.leave()
    if (!ledger) return this.#endLate(outcome === 'done' ? { outcome: 'ended' } : { outcome, error })
    ledger.closing?.builder.addStep(this, outcome, this.#beganAt, false, error)
    ledger.ended(this, outcome)
  }

  #endLate(outcome: Parameters<LateSink>[0]): void {
    const late = this.#late
    this.#late = undefined
    late?.(outcome)
  }
}
