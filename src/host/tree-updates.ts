import type { Change, ScopeView } from '../scope/index.ts'
import { isWrong, type ResourceStatus } from './wire/index.ts'

/** Removes changes of things that were added and have already ended well, which is what most timers do. */
export function relevantChanges(changes: readonly Change[]): Change[] {
  const added = new Set<number>()
  const transient = new Set<number>()
  for (const { type, id, outcome } of changes) {
    if (type === 'added') added.add(id)
    else if (type === 'ended' && added.has(id) && !isWrong(outcome)) transient.add(id)
  }
  // Changes inside such a scope are irrelevant too, unless something went wrong.
  const isIrrelevant = (change: Change): boolean =>
    transient.has(change.id) || (transient.has(change.scope) && !isWrong(change.outcome))
  return changes.filter((change) => !isIrrelevant(change))
}

/** The statuses of all resources in a tree. */
export function statusesOf(tree: ScopeView): ResourceStatus[] {
  const own = tree.owned.flatMap(({ id, status }) => (status ? [{ id, status }] : []))
  return [...own, ...tree.children.flatMap(statusesOf)]
}

/** Remembers the last status of each resource, to detect changes. */
export class StatusTracker {
  #last = new Map<number, string>()

  /** Returns the statuses that have changed since the last call. */
  next(tree: ScopeView): ResourceStatus[] {
    const before = this.#last
    this.#last = new Map()
    return statusesOf(tree).filter(({ id, status }) => {
      const text = jsonOf(status)
      if (text === undefined) return false
      this.#last.set(id, text)
      return before.get(id) !== text
    })
  }
}

/** Undefined if the status cannot be converted to JSON. */
function jsonOf(status: object): string | undefined {
  try {
    return JSON.stringify(status)
  } catch {
    return undefined
  }
}
