import { describe, expect, it } from 'vitest'
import { Scope } from '../scope/index.ts'
import { BatchedDrain } from './drain.ts'
import { inVirtualTime, simulate, SimClock, SimRandom, type World } from './index.ts'

describe('simulate', () => {
  it.each([
    ['in every turn of the event loop', {}],
    ['many times per turn', new BatchedDrain()],
  ])('takes no real time, and runs all microtasks before the next event, %s', async (_, options) => {
    const order: string[] = []
    const body = async ({ clock }: World): Promise<void> => {
      clock.happen(3_600_000, 'second', () => order.push('second'))
      clock.happen(1_000, 'first', () => {
        let ticks = 0
        // A chain far longer than any fixed number of ticks would wait for.
        const chain = (): void => {
          if (++ticks < 1_000) queueMicrotask(chain)
          else order.push('first, and a thousand ticks')
        }
        chain()
      })
      for (let hours = 0; hours < 100; hours++) await clock.elapse(3_600_001)
    }
    await simulate(1, body, options)
    expect(order).toEqual(['first, and a thousand ticks', 'second'])
  })

  it('reports a violation if the simulated code would wait forever', async () => {
    const { violations } = await simulate(1, () => new Promise(() => {}))
    expect(violations).toMatchObject([{ rule: 'SC2', what: expect.stringContaining('hang forever') }])
  })

  it('reports a violation if events never end', async () => {
    const { violations } = await simulate(
      1,
      ({ clock }) => {
        const again = (): void => void clock.happen(1, 'again', again)
        again()
      },
      { maxEvents: 100 },
    )
    expect(violations).toMatchObject([{ rule: 'SC18' }])
  })

  it('reports a socket that is left open', async () => {
    const { violations } = await simulate(1, ({ network }) => {
      network.serve = () => ({ connect: 'never' })
      network.dial({ name: 'stt', url: 'ws://stt' }, { opened() {}, message() {}, ended() {} })
    })
    expect(violations).toEqual([{ rule: 'SC15', what: "left behind: socket 'stt'" }])
  })

  it('reports an error of the simulated code, with which inVirtualTime rejects', async () => {
    const { violations } = await simulate(1, () => Promise.reject(new Error('broken')))
    expect(violations).toMatchObject([{ rule: 'life', what: expect.stringContaining('broken') }])
    await expect(inVirtualTime(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    await expect(inVirtualTime(({ violate }) => violate('CL1', 'no end'))).rejects.toMatchObject({
      code: 'VIOLATION',
    })
  })

  it('runs a scope on the virtual clock', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      await scope.spawn('nap', ({ sleep }) => sleep(86_400_000)).result
      expect(clock.now()).toBe(86_400_000)
    }))
})

describe('SimClock', () => {
  it('fires timers by time, then in the order they were set, but no cleared timers', () => {
    const clock = new SimClock()
    const fired: string[] = []
    const add = (ms: number, name: string) =>
      clock.after(ms, name, () => fired.push(`${name} ${clock.now()}`))
    add(5, 'c')
    add(1, 'a')
    const cleared = add(2, 'x')
    add(1, 'b')
    add(5, 'd')
    cleared.clear()
    while (clock.step() !== undefined);
    expect(fired).toEqual(['a 1', 'b 1', 'c 5', 'd 5'])
    expect(clock.timers.size).toBe(0)
  })

  it('fires timers late but in order after a jump', () => {
    const clock = new SimClock()
    const fired: string[] = []
    clock.after(10, 'a', () => fired.push(`a ${clock.now()}`))
    clock.after(20, 'b', () => fired.push(`b ${clock.now()}`))
    clock.jump(1_000)
    while (clock.step() !== undefined);
    expect(fired).toEqual(['a 1000', 'b 1000'])
  })
})

describe('SimRandom', () => {
  it('draws the same numbers for the same seed, different ones for another, all within bounds', () => {
    const draw = (seed: number): number[] => {
      const random = new SimRandom(seed)
      return Array.from({ length: 20 }, () => random.int(1, 6))
    }
    expect(draw(42)).toEqual(draw(42))
    expect(draw(42)).not.toEqual(draw(43))
    expect(draw(2 ** 32 + 1)).not.toEqual(draw(1))
    const many = new SimRandom(9)
    const faces = new Set(Array.from({ length: 1_000 }, () => many.int(1, 6)))
    expect([...faces].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('picks by weight', () => {
    const random = new SimRandom(1)
    const picks = Array.from({ length: 1_000 }, () => random.weighted({ often: 9, seldom: 1, never: 0 }))
    const often = picks.filter((pick) => pick === 'often').length
    expect(picks).not.toContain('never')
    expect(often).toBeGreaterThan(850)
    expect(often).toBeLessThan(950)
  })
})
