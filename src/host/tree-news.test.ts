import { describe, expect, it } from 'vitest'
import type { Change, ScopeView } from '../scope/index.ts'
import { StatusNews, worthTelling } from './tree-news.ts'

const change = (type: Change['type'], id: number, more: Partial<Change> = {}): Change => ({
  type,
  id,
  at: 0,
  scope: 1,
  kind: 'task',
  name: `${id}`,
  ...more,
})

const idsOf = (changes: readonly Change[]): number[] => worthTelling(changes).map(({ id }) => id)

describe('changes of a tree', () => {
  it('are not told if what came has gone by then', () => {
    expect(idsOf([change('added', 2), change('added', 3), change('ended', 2, { outcome: 'fired' })])).toEqual(
      [3],
    )
    expect(idsOf([change('ended', 2, { outcome: 'done' })])).toEqual([2])
  })

  it('are told if it did not go well', () => {
    expect(idsOf([change('added', 2), change('ended', 2, { outcome: 'abandoned' })])).toEqual([2, 2])
  })

  it('are not told of the inside of a scope that came and went', () => {
    const scope = { kind: 'scope' } as const
    const inside = [change('added', 3, { scope: 2 }), change('closing', 2, { ...scope, scope: 2 })]
    const went = change('ended', 2, { ...scope, outcome: 'clean' })
    expect(idsOf([change('added', 2, scope), ...inside, went])).toEqual([])
  })
})

describe('what resources say of themselves', () => {
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

  it('is told when it has changed', () => {
    const news = new StatusNews()
    expect(news.next(tree({ phase: 'open' }))).toEqual([{ id: 3, status: { phase: 'open' } }])
    expect(news.next(tree({ phase: 'open' }))).toEqual([])
    expect(news.next(tree({ phase: 'ready' }))).toEqual([{ id: 3, status: { phase: 'ready' } }])
  })

  it('is not told if it is no JSON', () => {
    const circle: { self?: object } = {}
    circle.self = circle
    expect(new StatusNews().next(tree(circle))).toEqual([])
  })
})
