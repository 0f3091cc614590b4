import { describe, expect, it } from 'vitest'
import { Scope } from '../../src/scope/index.ts'
import { inVirtualTime, partContext, type World } from '../../src/testing/index.ts'
import { ToyCalls, ToyPeer } from './toy-line.ts'

interface Scene extends World {
  readonly scope: Scope<string>
  readonly calls: ToyCalls
  readonly logged: string[]
}

function scene(
  play: (scene: Scene) => Promise<void>,
  options: { maxCalls?: number; maxRate?: number } = {},
): Promise<void> {
  return inVirtualTime(async (world) => {
    const scope = new Scope<string>('calls', { clock: world.clock, phases: ['tasks', 'resources'] })
    const logged: string[] = []
    const log = (_: object, message: string): void => void logged.push(message)
    const logger = { debug: log, info: log, warn: log, error: log }
    const calls = new ToyCalls({ scope, logger, ...options })
    try {
      await play({ ...world, scope, calls, logged })
    } finally {
      await scope.close()
    }
  })
}

const rings = { onCall: () => {} }

describe('calls', () => {
  it('are refused beyond maxCalls, until one of them has ended', () =>
    scene(
      async ({ calls }) => {
        const peer = new ToyPeer()
        calls.call('one', { ...rings, peer })
        calls.call('two', rings)
        expect(calls.call('three', rings)).toBe('BUSY')
        peer.leaves()
        expect(calls.size).toBe(1)
        expect(calls.call('three', rings)).not.toBe('BUSY')
      },
      { maxCalls: 2 },
    ))

  it('are refused beyond maxRate, until time has passed', () =>
    scene(
      async ({ calls, clock }) => {
        for (const id of ['one', 'two']) expect(calls.call(id, rings)).not.toBe('TOO_FAST')
        expect(calls.call('three', rings)).toBe('TOO_FAST')
        await clock.elapse(500)
        expect(calls.call('three', rings)).not.toBe('TOO_FAST')
      },
      { maxRate: 2 },
    ))

  it.each([
    [
      'throws',
      () => {
        throw new Error('no agent')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no agent'))],
  ])('are dismissed if the code that answers them %s', (_, onCall) =>
    scene(async ({ calls, clock, logged }) => {
      const peer = new ToyPeer()
      calls.call('one', { peer, onCall })
      await clock.elapse(1)
      expect(peer.received).toEqual(['bye unanswered'])
      expect(logged).toEqual(['a call could not be answered'])
      expect(calls.size).toBe(0)
    }),
  )

  it('go on if the code that answers them fails after a session has answered', () =>
    scene(async ({ calls, clock, ...world }) => {
      const peer = new ToyPeer()
      const context = partContext({ ...world, clock })
      const events = {
        frame() {},
        marked() {},
        dtmf() {},
        text() {},
        hungUp() {},
        lost() {},
        handedOver() {},
      }
      calls.call('one', {
        peer,
        onCall: async (line) => {
          await line.open(context, events)
          throw new Error('no database')
        },
      })
      await clock.elapse(1)
      expect(calls.size).toBe(1)
      await context.scope.close()
    }))

  it('are dismissed when their scope closes, and no new ones are taken', () =>
    scene(async ({ calls, scope }) => {
      const peer = new ToyPeer()
      calls.call('one', { ...rings, peer })
      const closing = scope.close()
      expect(peer.received).toEqual(['bye closing'])
      expect(calls.call('two', rings)).toBe('CLOSING')
      expect((await closing).clean).toBe(true)
    }))

  it('keep their scope waiting until their peers have left', () =>
    scene(async ({ calls, clock, scope }) => {
      const peer = new ToyPeer({ polite: false })
      calls.call('one', { ...rings, peer })
      let closed = false
      const closing = scope.close().then(() => (closed = true))
      await clock.elapse(500)
      expect(closed).toBe(false)
      peer.leaves()
      await closing
    }))

  it('cut every peer when they are aborted, also the ones that were turned away', () =>
    scene(async ({ calls, scope }) => {
      const peers = [1, 2, 3].map(() => new ToyPeer({ polite: false }))
      calls.call('one', { ...rings, peer: peers[0]! })
      calls.turnAway(peers[1]!, 1, 'refused')
      scope.abort()
      calls.turnAway(peers[2]!, 1, 'refused')
      expect(peers.map(({ state }) => state)).toEqual(['aborted', 'aborted', 'aborted'])
    }))
})
