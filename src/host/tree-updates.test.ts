import { describe, expect, it } from 'vitest'
import type { Change, ScopeView } from '../scope/index.ts'
import { StatusTracker, relevantChanges } from './tree-updates.ts'

const change = (type: Change['type'], id: number, more: Partial<Change> = {}): Change => ({
  type,
  id,
  at: 0,
  scope: 1,
  kind: 'task',
  name: `${id}`,
  ...more,
})

const idsOf = (changes: readonly Change[]): number[] => relevantChanges(changes).map(({ id }) => id)

describe('the relevant changes of a tree', () => {
  it('exclude what was added and has already ended', () => {
    expect(idsOf([change('added', 2), change('added', 3), change('ended', 2, { outcome: 'fired' })])).toEqual(
      [3],
    )
    expect(idsOf([change('ended', 2, { outcome: 'done' })])).toEqual([2])
  })

  it('include what was added and has ended badly', () => {
    expect(idsOf([change('added', 2), change('ended', 2, { outcome: 'abandoned' })])).toEqual([2, 2])
  })

  it('exclude the contents of a scope that was added and has already ended', () => {
    const scope = { kind: 'scope' } as const
    const inside = [change('added', 3, { scope: 2 }), change('closing', 2, { ...scope, scope: 2 })]
    const went = change('ended', 2, { ...scope, outcome: 'clean' })
    expect(idsOf([change('added', 2, scope), ...inside, went])).toEqual([])
  })
})

describe('the status of a resource', () => {
  const tree = (status: object): ScopeView => ({
    id: 1,
    name: 'call',
    state: 'live',
    age: 0,
    owned: [],
    children: [
      {
        id: 2,
        name: 'links',
        state: 'live',
        age: 0,
        owned: [{ id: 3, kind: 'resource', name: 'stt', phase: 'links', age: 0, status }],
        children: [],
      },
    ],
  })

  it('is returned when it has changed', () => {
    const tracker = new StatusTracker()
    expect(tracker.next(tree({ phase: 'open' }))).toEqual([{ id: 3, status: { phase: 'open' } }])
    expect(tracker.next(tree({ phase: 'open' }))).toEqual([])
    expect(tracker.next(tree({ phase: 'ready' }))).toEqual([{ id: 3, status: { phase: 'ready' } }])
  })

  it('is ignored if it is not JSON', () => {
    const circular: { self?: object } = {}
    circular.self = circular
    expect(new StatusTracker().next(tree(circular))).toEqual([])
  })
})
