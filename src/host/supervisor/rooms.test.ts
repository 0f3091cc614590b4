import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../testing/index.ts'
import type { Clock } from '../../scope/index.ts'
import { limits } from './limits.ts'
import { Rooms } from './rooms.ts'

/** Rooms of workers that a test makes ready. */
class Building {
  readonly ready: string[] = []
  readonly found: (string | undefined)[] = []
  readonly rooms: Rooms
  waiting = 0
  grows = false

  constructor(clock: Clock, capacity: number, ...ready: readonly string[]) {
    this.ready.push(...ready)
    this.rooms = new Rooms({
      clock,
      capacity,
      ready: () => this.ready,
      grows: () => this.grows,
      waiting: (count) => (this.waiting = count),
    })
  }

  find(asker: string): void {
    this.rooms.find(asker, (worker) => this.found.push(worker))
  }
}

describe('the rooms of a host', () => {
  it('[HO40] are found in the worker with the fewest calls, and not in the one that asks', () =>
    inVirtualTime(({ clock }) => {
      const building = new Building(clock, 3, 'w1', 'w2', 'w3')
      building.rooms.counted('w2', 2)
      building.rooms.counted('w3', 1)
      for (const _ of [1, 2, 3, 4]) building.find('w1')
      expect(building.found).toEqual(['w3', 'w2', 'w3', undefined])
      expect(building.rooms.hasRoomBeside('w1')).toBe(false)
      return Promise.resolve()
    }))

  it('[HO40] are promised once, until the call is reported or the promise expires', () =>
    inVirtualTime(async ({ clock }) => {
      const building = new Building(clock, 1, 'w1', 'w2')
      building.find('w1')
      building.find('w1')
      expect(building.found).toEqual(['w2', undefined])
      await clock.elapse(limits.promise)
      building.find('w1')
      expect(building.found.at(-1)).toBe('w2')
      building.rooms.counted('w2', 1)
      building.find('w1')
      await clock.elapse(limits.promise)
      building.find('w1')
      expect(building.found.slice(-2)).toEqual([undefined, undefined])
      building.rooms.counted('w2', 0)
      building.find('w1')
      expect(building.found.at(-1)).toBe('w2')
    }))

  it('[HO40] that were promised count once when the call is reported', () =>
    inVirtualTime(({ clock }) => {
      const building = new Building(clock, 2, 'w1', 'w2')
      building.find('w1')
      building.rooms.counted('w2', 1)
      building.find('w1')
      building.find('w1')
      expect(building.found).toEqual(['w2', 'w2', undefined])
      return Promise.resolve()
    }))

  it('[HO40] of a worker that says it has none are not offered for a while, or until one of its calls ends', () =>
    inVirtualTime(async ({ clock }) => {
      const building = new Building(clock, 2, 'w1', 'w2')
      building.rooms.counted('w1', 1)
      building.find('w1')
      expect(building.rooms.hasRoom('w1')).toBe(false)
      await clock.elapse(limits.full)
      expect(building.rooms.hasRoom('w1')).toBe(true)
      building.find('w1')
      building.rooms.counted('w1', 0)
      expect(building.rooms.hasRoom('w1')).toBe(true)
    }))

  it('[HO40] are waited for while more workers start, for a limited time, in order', () =>
    inVirtualTime(async ({ clock }) => {
      const building = new Building(clock, 1, 'w1')
      building.grows = true
      for (const _ of [1, 2, 3]) building.find('w1')
      expect([building.found, building.waiting]).toEqual([[], 3])
      building.ready.push('w2')
      building.rooms.look()
      expect([building.found, building.waiting]).toEqual([['w2'], 2])
      await clock.elapse(limits.room)
      expect([building.found, building.waiting]).toEqual([['w2', undefined, undefined], 0])
    }))

  it('[HO40] are not waited for once no worker can be started any more', () =>
    inVirtualTime(({ clock }) => {
      const building = new Building(clock, 1, 'w1')
      building.grows = true
      building.find('w1')
      building.grows = false
      building.rooms.look()
      expect([building.found, building.waiting]).toEqual([[undefined], 0])
      return Promise.resolve()
    }))

  it('[HO40] are waited for by a limited number of calls, and by none after the end', () =>
    inVirtualTime(({ clock }) => {
      const building = new Building(clock, 1, 'w1')
      building.grows = true
      for (let count = 0; count <= limits.waiting; count++) building.find('w1')
      expect([building.found, building.waiting]).toEqual([[undefined], limits.waiting])
      building.rooms.close()
      expect(building.found).toHaveLength(limits.waiting + 1)
      return Promise.resolve()
    }))
})
