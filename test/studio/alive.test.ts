import { describe, expect, it } from 'vitest'
import type { LiveMessage } from '../../src/host/index.ts'
import { Scope, type Change } from '../../src/scope/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import { aliveIn, farewell, leftBehind, prune, watch, type AliveNode } from '../../studio/src/alive.ts'

const summary = { id: 'a', state: 'live', addedAt: 0, turns: 0, errors: 0 } as const

/** The tree of a scope, and how it follows the scope's changes. */
function following(scope: Scope<string>) {
  const changes: Change[] = []
  const inspection = scope.inspect((change) => changes.push(change))
  const { clock } = scope
  const snapshot: LiveMessage = {
    type: 'snapshot',
    now: clock.now(),
    summary,
    items: [],
    latencies: [],
    tree: inspection.tree,
  }
  let tree = watch(undefined, snapshot)!
  const follow = (statuses: { id: number; status: object }[] = []): AliveNode => {
    const message = {
      type: 'batch',
      now: clock.now(),
      events: [],
      changes: changes.splice(0),
      statuses,
    } as const
    tree = watch(tree, message)!
    return tree
  }
  return { follow, stop: () => inspection.stop() }
}

const namesIn = (node: AliveNode): unknown[] => [
  node.endedAt === undefined ? node.name : `${node.name}: ${node.outcome}`,
  ...node.children.map(namesIn),
]

describe('what is alive', () => {
  it('comes, goes, and is shown for a moment after it went', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('call', { clock })
      scope.after(1_000, 'idle', () => {})
      const { follow, stop } = following(scope)
      const child = scope.child('tool')
      const task = child.spawn('look', async ({ sleep }) => sleep(100))
      expect(namesIn(follow())).toEqual(['call', ['idle'], ['tool', ['look']]])
      expect(aliveIn(follow())).toBe(2)
      await task.result
      const gone = follow()
      expect(namesIn(gone)).toEqual(['call', ['idle'], ['tool', ['look: ended']]])
      expect(namesIn(prune(gone, clock.now()))).toEqual(namesIn(gone))
      expect(namesIn(prune(gone, clock.now() + farewell))).toEqual(['call', ['idle'], ['tool']])
      stop()
    }))

  it('is nothing after a close that went well', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock })
      scope.spawn('listen', async ({ sleep }) => sleep(10_000))
      const { follow, stop } = following(scope)
      await scope.close()
      const tree = prune(follow(), clock.now() + farewell)
      expect([tree.state, namesIn(tree), leftBehind(tree)]).toEqual(['closed', ['call'], []])
      stop()
    }))

  it('is what did not end, after one that did not', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock, closeTimeout: 100 })
      scope.child('tool').spawn('deaf', () => new Promise(() => {}))
      scope.own('socket', { close: () => new Promise(() => {}), abort: () => {} })
      const { follow, stop } = following(scope)
      await scope.close()
      const tree = prune(follow(), clock.now() + farewell)
      expect(leftBehind(tree).map(({ name, outcome }) => [name, outcome])).toEqual([
        ['deaf', 'abandoned'],
        ['socket', 'timed-out'],
      ])
      stop()
    }))

  it('says of itself what has changed', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('call', { clock })
      scope.own('stt', { close: () => {}, abort: () => {}, inspect: () => ({ phase: 'ready', retries: 0 }) })
      const { follow, stop } = following(scope)
      const [stt] = follow().children
      expect(stt!.status).toEqual({ phase: 'ready', retries: 0 })
      const tree = follow([{ id: stt!.id, status: { phase: 'backing-off', retries: 2 } }])
      expect(tree.children[0]!.status).toEqual({ phase: 'backing-off', retries: 2 })
      stop()
    }))
})
