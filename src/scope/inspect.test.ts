import { expect, it } from 'vitest'
import { inVirtualTime } from '../testing/index.ts'
import { Scope, type Change } from './index.ts'

const never = (): Promise<never> => new Promise(() => {})

it('inspect() shows the tree as it is, with ages', () =>
  inVirtualTime(async ({ clock }) => {
    const scope = new Scope('call', { clock })
    scope.spawn('poll', ({ until }) => until(never()))
    await clock.elapse(40)
    const child = scope.child('tool')
    child.own('link', { close() {}, abort() {} })
    await clock.elapse(2)
    const view = scope.inspect()
    expect(view.tree).toEqual({
      id: 1,
      name: 'call',
      state: 'live',
      age: 42,
      owned: [{ id: 2, kind: 'task', name: 'poll', phase: 'tasks', age: 42 }],
      children: [
        {
          id: 3,
          name: 'tool',
          state: 'live',
          age: 2,
          owned: [{ id: 4, kind: 'resource', name: 'link', phase: 'resources', age: 2 }],
          children: [],
        },
      ],
    })
    await scope.close()
    expect(view.tree).toMatchObject({ state: 'closed', owned: [], children: [] })
  }))

it('inspect() reports changes below its scope until it is stopped', () =>
  inVirtualTime(async ({ clock }) => {
    const line = ({ type, kind, name, outcome }: Change): string =>
      `${type} ${kind} ${name}${outcome === undefined ? '' : ` ${outcome}`}`
    const all: string[] = []
    const some: string[] = []
    const ids: number[] = []
    const scope = new Scope('call', { clock })
    const watching = scope.inspect((change) => {
      all.push(line(change))
      if (change.kind === 'scope') ids.push(change.id)
    })
    const child = scope.child('tool')
    const inner = child.inspect((change) => some.push(line(change)))
    scope.spawn('quick', () => {})
    child.spawn('slow', ({ until }) => until(never()))
    await child.close()
    inner.stop()
    inner.stop()
    watching.stop()
    await scope.close()
    expect(some).toEqual([
      'added task slow',
      'closing scope tool',
      'ended task slow cancelled',
      'closed scope tool',
    ])
    expect(new Set(ids)).toEqual(new Set([child.inspect().tree.id]))
    expect(all).toEqual([
      'added scope tool',
      'added task quick',
      'ended task quick ended',
      ...some,
      'ended scope tool clean',
    ])
  }))

it('[SC15] inspect() shows the status of resources, and survives one that throws', () =>
  inVirtualTime(async ({ clock }) => {
    const scope = new Scope('call', { clock })
    const ends = { close: async () => {}, abort() {} }
    scope.own('link', { ...ends, inspect: () => ({ phase: 'ready' }) })
    scope.own('socket', {}, { close: async () => {}, abort() {}, inspect: () => ({ retries: 2 }) })
    scope.own('broken', {
      ...ends,
      inspect: () => {
        throw new Error('no')
      },
    })
    expect(scope.inspect().tree.owned.map(({ name, status }) => ({ name, status }))).toEqual([
      { name: 'link', status: { phase: 'ready' } },
      { name: 'socket', status: { retries: 2 } },
      { name: 'broken', status: undefined },
    ])
    await scope.close()
  }))

it('inspect() reports when the end of each resource begins, and how long the close may still take', () =>
  inVirtualTime(async ({ clock }) => {
    const scope = new Scope('call', { clock, phases: ['links', 'stores'], closeTimeout: 1_000 })
    const began: [string, number][] = []
    const inspection = scope.inspect(({ type, kind, name, at }) => {
      if (type === 'closing' && kind !== 'scope') began.push([name, at])
    })
    expect(inspection.tree).not.toHaveProperty('closing')
    const asked = clock.now()
    scope.own('socket', { close: () => clock.elapse(100), abort() {} }, { phase: 'links' })
    scope.own('file', { close: () => clock.elapse(50), abort() {} }, { phase: 'stores' })
    scope.spawn('poll', ({ until }) => until(never()), { phase: 'links' })
    const closing = scope.close()
    await clock.elapse(40)
    expect(inspection.tree.closing).toEqual({ age: 40, left: 960 })
    await closing
    expect(began).toEqual([
      ['socket', asked],
      ['file', asked + 100],
    ])
  }))
