import { Closing } from './closing.ts'
import type { CancelledError } from './errors.ts'
import type { Ledger } from './ledger.ts'
import { Owned } from './owned.ts'
import type { ScopeReport } from './report.ts'

/** A child scope as a member of its parent. */
export class ChildScope extends Owned {
  readonly kind = 'scope'
  /** The ledger of the child itself. */
  readonly inner: Ledger

  constructor(ledger: Ledger, inner: Ledger, phase: number) {
    super(ledger, inner.name, phase, inner.id)
    this.inner = inner
  }

  override notifyClosing(reason: CancelledError): void {
    const outer = this.ledger?.closing
    if (!outer) return
    if (this.inner.closing) return this.inner.closing.shorten(outer.deadline.at)
    Closing.begin(this.inner, { reason: outer.why, by: `scope '${this.ledger!.name}'` }, reason).notify()
  }

  override cancel(): void {
    this.inner.closing?.cancel()
  }

  override begin(): void {
    this.inner.closing?.run()
  }

  override deadlineMoved(): void {
    const outer = this.ledger?.closing
    if (outer) this.inner.closing?.shorten(outer.deadline.at)
  }

  hold(share: number): number {
    return Math.min(this.ledger?.settings.taskCap ?? 0, share)
  }

  force(): void {
    this.inner.closing?.force()
  }

  /** The child has closed, by itself or with its parent. */
  closed(report: ScopeReport): void {
    const ledger = this.leave()
    if (!ledger) return
    ledger.closing?.builder.addChild(this.phase, this.inner.closing!.ranAt, report)
    ledger.ended(this, report.clean ? 'clean' : 'not clean')
  }
}
