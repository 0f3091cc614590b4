import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../testing/index.ts'
import { Burst, Scope, TimeLimit, iterate } from './index.ts'

describe('a time limit', () => {
  const read = (world: Parameters<Parameters<typeof inVirtualTime>[0]>[0], gaps: readonly number[]) => {
    const scope = new Scope('test', { clock: world.clock })
    const stopped: string[] = []
    const source = async function* () {
      for (const gap of gaps) {
        await world.clock.elapse(gap)
        yield gap
      }
    }
    const task = scope.spawn('read', async (self) => {
      const limit = new TimeLimit(self, 1_000, () => new Error('too slow'))
      limit.onTimeout = ({ message }) => stopped.push(message)
      try {
        for await (const _ of iterate(source(), limit)) limit.moved()
      } finally {
        limit.release()
      }
    })
    return { scope, task, stopped }
  }

  it('lets a source go on for as long as it likes, if no gap is too long', () =>
    inVirtualTime(async (world) => {
      const { scope, task, stopped } = read(world, Array<number>(20).fill(900))
      await task.result
      expect(stopped).toEqual([])
      expect(world.clock.timers.list()).toEqual([])
      await scope.close()
    }))

  it.each([
    ['first', [1_500], 1_000],
    ['later', [900, 900, 1_500], 2_800],
  ])('rejects, and stops the source, if the %s value is late', (_, gaps, at) =>
    inVirtualTime(async (world) => {
      const { scope, task, stopped } = read(world, gaps)
      await expect(task.result).rejects.toThrow('too slow')
      expect(stopped).toEqual(['too slow'])
      expect(world.clock.now()).toBe(at + 100)
      await scope.close()
    }),
  )
})

describe('a burst', () => {
  it('waits only if too many steps begin at once', () =>
    inVirtualTime(async (world) => {
      const scope = new Scope('test', { clock: world.clock })
      const burst = new Burst(world.clock, 3)
      const task = scope.spawn('steps', async (self) => {
        const at: number[] = []
        for (let step = 0; step < 5; step++) {
          await burst.next(self.sleep)
          at.push(world.clock.now())
        }
        await self.sleep(200)
        await burst.next(self.sleep)
        at.push(world.clock.now())
        return at
      })
      expect(await task.result).toEqual([0, 0, 0, 1, 2, 202])
      await scope.close()
    }))
})
