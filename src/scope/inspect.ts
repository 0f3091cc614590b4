import { ChildScope } from './child-scope.ts'
import type { Ledger } from './ledger.ts'
import { OwnedResource } from './resource.ts'
import { Watchers, type Change, type Kind } from './watchers.ts'

/** The current state of one owned thing. */
export interface OwnedView {
  readonly id: number
  readonly kind: Exclude<Kind, 'scope'>
  readonly name: string
  readonly phase: string
  /** Milliseconds since it was added. */
  readonly age: number
  /** What a resource's own `inspect()` returns. */
  readonly status?: object
}

/** The current state of a scope and everything below it, as plain JSON. */
export interface ScopeView {
  readonly id: number
  readonly name: string
  readonly state: 'live' | 'closing' | 'closed'
  readonly age: number
  /** Set once the close was requested: milliseconds since the request, and until the deadline. */
  readonly closing?: { readonly age: number; readonly left: number }
  readonly owned: readonly OwnedView[]
  readonly children: readonly ScopeView[]
}

/** A view of a tree of scopes. Nothing is recorded without a listener; a listener costs one call per change. */
export interface Inspection {
  /** The tree as it is now. */
  readonly tree: ScopeView
  /** Removes the listener. */
  stop(): void
}

/** The inspection of the scope with this ledger. */
export class LedgerInspection implements Inspection {
  readonly #ledger: Ledger
  readonly #remove: (() => boolean) | undefined

  constructor(ledger: Ledger, listener?: (change: Change) => void) {
    this.#ledger = ledger
    if (!listener) return
    this.#remove = (ledger.watchers ??= new Watchers()).add(listener)
    ledger.tree.watched++
  }

  get tree(): ScopeView {
    return view(this.#ledger, this.#ledger.clock.now())
  }

  // A field, so that it can be destructured and called alone.
  readonly stop = (): void => {
    if (this.#remove?.()) this.#ledger.tree.watched--
  }
}

function view(ledger: Ledger, now: number): ScopeView {
  const owned: OwnedView[] = []
  const children: ScopeView[] = []
  for (const member of ledger.all()) {
    if (member instanceof ChildScope) {
      children.push(view(member.inner, now))
      continue
    }
    const { id, name, since } = member
    const phase = ledger.settings.phases[member.phase]!
    const status = member instanceof OwnedResource ? member.status() : undefined
    const kind = member.kind as OwnedView['kind']
    owned.push({ id, kind, name, phase, age: now - since, ...(status ? { status } : {}) })
  }
  const { id, name, state, since, closing } = ledger
  const times = closing && { closing: { age: now - closing.askedAt, left: closing.deadline.at - now } }
  return { id, name, state, age: now - since, ...times, owned, children }
}
