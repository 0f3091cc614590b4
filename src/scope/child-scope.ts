import { Closing } from './closing.ts'
import type { CancelledError } from './errors.ts'
import type { Ledger } from './ledger.ts'
import { Owned } from './owned.ts'
import type { ScopeReport } from './report.ts'

/** A child scope, as its parent owns it. */
export class ChildScope extends Owned {
  readonly kind = 'scope'
  readonly inner: Ledger

  constructor(ledger: Ledger, inner: Ledger, phase: number) {
    super(ledger, inner.name, phase, inner.id)
    this.inner = inner
  }

  override tell(reason: CancelledError): void {
    const outer = this.ledger?.closing
    if (!outer) return
    if (this.inner.closing) return this.inner.closing.shorten(outer.deadline.at)
    Closing.begin(this.inner, { reason: outer.why, by: `scope '${this.ledger!.name}'` }, reason).tell()
  }

  override cancel(): void {
    this.inner.closing?.cancel()
  }

  override begin(): void {
    this.inner.closing?.run()
  }

  override sooner(): void {
    const outer = this.ledger?.closing
    if (outer) this.inner.closing?.shorten(outer.deadline.at)
  }

  hold(share: number): number {
    return Math.min(this.ledger?.settings.taskCap ?? 0, share)
  }

  force(): void {
    this.inner.closing?.force()
  }

  /** The child has closed, for whatever reason. */
  over(report: ScopeReport): void {
    const ledger = this.leave()
    if (!ledger) return
    ledger.closing?.recordChild(this, this.inner.closing!.ranAt, report)
    ledger.ended(this, report.clean ? 'clean' : 'not clean')
  }
}
