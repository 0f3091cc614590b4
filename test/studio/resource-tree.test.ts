import { describe, expect, it } from 'vitest'
import type { LiveMessage } from '../../src/host/index.ts'
import { Scope, type Change } from '../../src/scope/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import {
  LINGER,
  applyToTree,
  countLive,
  prune,
  wrongNodes,
  type ResourceNode,
} from '../../studio/src/live/resource-tree.ts'

const summary = { id: 'a', state: 'live', addedAt: 0, turns: 0, errors: 0 } as const

/** Keeps a tree up to date with a scope. */
function following(scope: Scope<string>) {
  const changes: Change[] = []
  const inspection = scope.inspect((change) => changes.push(change))
  const { clock } = scope
  const snapshot: LiveMessage = {
    type: 'snapshot',
    now: clock.now(),
    summary,
    events: [],
    latencies: [],
    spent: { usage: { turns: 0, toolCalls: 0, models: {} } },
    tree: inspection.tree,
  }
  let tree = applyToTree(undefined, snapshot)!
  const follow = (statuses: { id: number; status: object }[] = []): ResourceNode => {
    const message = {
      type: 'batch',
      now: clock.now(),
      events: [],
      changes: changes.splice(0),
      statuses,
    } as const
    tree = applyToTree(tree, message)!
    return tree
  }
  return { follow, stop: () => inspection.stop() }
}

const namesIn = (node: ResourceNode): unknown[] => [
  node.endedAt === undefined ? node.name : `${node.name}: ${node.outcome}`,
  ...node.children.map(namesIn),
]

describe('the tree of resources', () => {
  it('shows a task when it starts, and for a moment after it ended', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('call', { clock })
      scope.after(1_000, 'idle', () => {})
      const { follow, stop } = following(scope)
      const child = scope.child('tool')
      const task = child.spawn('look', async ({ sleep }) => sleep(100))
      expect(namesIn(follow())).toEqual(['call', ['idle'], ['tool', ['look']]])
      expect(countLive(follow())).toBe(2)
      await task.result
      const ended = follow()
      expect(namesIn(ended)).toEqual(['call', ['idle'], ['tool', ['look: ended']]])
      expect(namesIn(prune(ended, clock.now()))).toEqual(namesIn(ended))
      expect(namesIn(prune(ended, clock.now() + LINGER))).toEqual(['call', ['idle'], ['tool']])
      stop()
    }))

  it('is empty after a clean close', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock })
      scope.spawn('listen', async ({ sleep }) => sleep(10_000))
      const { follow, stop } = following(scope)
      await scope.close()
      const tree = prune(follow(), clock.now() + LINGER)
      expect([tree.state, namesIn(tree), wrongNodes(tree)]).toEqual(['closed', ['call'], []])
      stop()
    }))

  it('keeps what did not end well', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock, closeTimeout: 100 })
      scope.child('tool').spawn('deaf', () => new Promise(() => {}))
      scope.own('socket', { close: () => new Promise(() => {}), abort: () => {} })
      const { follow, stop } = following(scope)
      await scope.close()
      const tree = prune(follow(), clock.now() + LINGER)
      expect(wrongNodes(tree).map(({ name, outcome }) => [name, outcome])).toEqual([
        ['deaf', 'abandoned'],
        ['socket', 'timed-out'],
      ])
      stop()
    }))

  it('shows the latest status of a resource', () =>
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
