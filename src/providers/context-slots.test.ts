import { describe, expect, it } from 'vitest'
import { Scope } from '../scope/index.ts'
import { inVirtualTime, type World } from '../testing/index.ts'
import { ContextSlots } from './context-slots.ts'

function slotsOf({ clock }: World) {
  const scope = new Scope('test', { clock })
  const slots: ContextSlots = new ContextSlots(2, scope, {
    confirmWithin: 1_000,
    expired: (context) => slots.release(context),
  })
  const taken: string[] = []
  const take = (context: string): void =>
    void scope.spawn(context, async (task) => {
      await slots.take(context, task)
      taken.push(context)
    })
  return { scope, slots, taken, take }
}

describe('context slots', () => {
  it('make a speech wait until another context is released', () =>
    inVirtualTime(async (world) => {
      const { scope, slots, taken, take } = slotsOf(world)
      for (const context of ['a', 'b', 'c', 'd']) take(context)
      await world.clock.elapse(10)
      expect(taken).toEqual(['a', 'b'])
      slots.release('a')
      await world.clock.elapse(10)
      expect(taken).toEqual(['a', 'b', 'c'])
      slots.clear()
      await world.clock.elapse(10)
      expect(taken).toEqual(['a', 'b', 'c', 'd'])
      await scope.close()
    }))

  it('count a cancelled context until the vendor confirms its end, or for a limited time', () =>
    inVirtualTime(async (world) => {
      const { scope, slots, taken, take } = slotsOf(world)
      for (const context of ['a', 'b', 'c', 'd']) take(context)
      slots.cancel('unknown')
      await world.clock.elapse(10)
      slots.cancel('a')
      slots.cancel('b')
      await world.clock.elapse(900)
      expect(taken).toEqual(['a', 'b'])
      slots.release('a')
      await world.clock.elapse(10)
      expect(taken).toEqual(['a', 'b', 'c'])
      await world.clock.elapse(100)
      expect(taken).toEqual(['a', 'b', 'c', 'd'])
      await scope.close()
    }))

  it('are not taken by a speech that was stopped while it waited', () =>
    inVirtualTime(async (world) => {
      const { scope, slots, taken, take } = slotsOf(world)
      take('a')
      take('b')
      await world.clock.elapse(10)
      const waiting = scope.spawn('c', (task) => slots.take('c', task))
      waiting.cancel('interrupted')
      await world.clock.elapse(10)
      slots.release('a')
      take('d')
      await world.clock.elapse(10)
      expect(taken).toEqual(['a', 'b', 'd'])
      await scope.close()
    }))
})
