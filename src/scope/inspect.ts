import { ChildScope } from './child-scope.ts'
import { callOut } from './edge.ts'
import type { Ledger } from './ledger.ts'
import { noop } from './noop.ts'
import type { Kind } from './owned.ts'
import { OwnedResource } from './resource.ts'

/** One owned thing, as it is now. */
export interface OwnedView {
  readonly id: number
  readonly kind: Exclude<Kind, 'scope'>
  readonly name: string
  readonly phase: string
  /** Milliseconds since it was added. */
  readonly age: number
  /** What a resource says of itself, if it does. */
  readonly status?: object
}

/** A scope and everything below it, as it is now. Plain JSON. */
export interface ScopeView {
  readonly id: number
  readonly name: string
  readonly state: 'live' | 'closing' | 'closed'
  readonly age: number
  readonly owned: readonly OwnedView[]
  readonly children: readonly ScopeView[]
}

/** Something was added to the tree or left it, or a scope changed its state. */
export interface Change {
  readonly type: 'added' | 'ended' | 'closing' | 'closed'
  /** The clock's time. */
  readonly at: number
  /** Id of the scope in which it happened. */
  readonly scope: number
  readonly id: number
  readonly kind: Kind
  readonly name: string
  /** How it ended, in the words of the report. */
  readonly outcome?: string
}

/** A window on a tree of scopes. Nothing is recorded while none is open; a listener costs one call a change. */
export interface Inspection {
  /** The tree as it is now. */
  readonly tree: ScopeView
  stop(): void
}

/** Those who watch one scope and what is below it. One that throws disturbs nobody. */
export class Watchers {
  readonly #listeners = new Set<(change: Change) => void>()

  add(listener: (change: Change) => void): () => boolean {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(change: Change): void {
    // Errors are dropped: watching must never change what is watched.
    for (const listener of this.#listeners) callOut(() => listener(change), noop)
  }
}

export function inspect(ledger: Ledger, listener?: (change: Change) => void): Inspection {
  let remove: (() => boolean) | undefined
  if (listener) {
    remove = (ledger.watchers ??= new Watchers()).add((change) => listener(change))
    ledger.tree.watched++
  }
  return {
    get tree() {
      return view(ledger, ledger.clock.now())
    },
    stop() {
      if (remove?.()) ledger.tree.watched--
    },
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
  const { id, name, state, since } = ledger
  return { id, name, state, age: now - since, owned, children }
}
