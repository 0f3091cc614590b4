import type { Change, ScopeView } from '../scope/index.ts'
import { isWrong, type ResourceStatus } from './wire/index.ts'

/**
 * The changes that are worth telling: what came and went well between two looks was never seen. Timers do so all the
 * time.
 */
export function worthTelling(changes: readonly Change[]): Change[] {
  const added = new Set<number>()
  const passed = new Set<number>()
  for (const { type, id, outcome } of changes) {
    if (type === 'added') added.add(id)
    else if (type === 'ended' && added.has(id) && !isWrong(outcome)) passed.add(id)
  }
  // What happened inside of a scope that came and went is no news either, unless it went wrong.
  const gone = (change: Change): boolean =>
    passed.has(change.id) || (passed.has(change.scope) && !isWrong(change.outcome))
  return changes.filter((change) => !gone(change))
}

/** What the resources of a tree say of themselves. */
export function statusesOf(tree: ScopeView): ResourceStatus[] {
  const own = tree.owned.flatMap(({ id, status }) => (status ? [{ id, status }] : []))
  return [...own, ...tree.children.flatMap(statusesOf)]
}

/** Keeps what was told of each resource, so that it is told again only when it has changed. */
export class StatusNews {
  #told = new Map<number, string>()

  /** Those that have changed since the last look. */
  next(tree: ScopeView): ResourceStatus[] {
    const before = this.#told
    this.#told = new Map()
    return statusesOf(tree).filter(({ id, status }) => {
      const text = jsonOf(status)
      if (text === undefined) return false
      this.#told.set(id, text)
      return before.get(id) !== text
    })
  }
}

/** Undefined for what was to be plain JSON, and is not: nobody can be told of it. */
function jsonOf(status: object): string | undefined {
  try {
    return JSON.stringify(status)
  } catch {
    return undefined
  }
}
