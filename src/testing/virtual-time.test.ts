import { describe, expect, it, vi } from 'vitest'
import { Scope } from '../scope/index.ts'
import { StuckError, VirtualTime, drain } from './index.ts'

describe('virtual time', () => {
  it('passes until the awaited promise settles, and no further', async () => {
    const time = new VirtualTime()
    const fired: number[] = []
    for (const at of [10, 20, 30]) time.clock.after(at, `timer ${at}`, () => fired.push(at))
    await time.run(time.clock.elapse(20))
    expect(time.clock.now()).toBe(20)
    expect(fired).toEqual([10, 20])
    await drain()
    await drain()
    expect(time.clock.now()).toBe(20)
    await time.elapse(5)
    expect(time.clock.now()).toBe(25)
    expect(fired).toEqual([10, 20])
  })

  it('stands still between two waits', async () => {
    const time = new VirtualTime()
    const scope = new Scope('call', { clock: time.clock })
    let renewals = 0
    scope.every(1_000, 'renew', () => renewals++)
    await Promise.all(Array.from({ length: 50 }, () => Promise.resolve()))
    expect([time.clock.now(), renewals]).toEqual([0, 0])
    await time.elapse(3_600_500)
    expect(renewals).toBe(3_600)
    expect((await time.run(scope.close())).clean).toBe(true)
  })

  it('settles like the awaited promise', async () => {
    const time = new VirtualTime()
    expect(await time.run(time.clock.elapse(50).then(() => 'here'))).toBe('here')
    const failing = time.clock.elapse(50).then(() => {
      throw new Error('there')
    })
    await expect(time.run(failing)).rejects.toThrow('there')
    expect(time.clock.now()).toBe(100)
  })

  it('runs all microtasks before the next event', async () => {
    const time = new VirtualTime()
    let steps = 0
    const walk = async (): Promise<void> => {
      await time.clock.elapse(10)
      for (; steps < 10_000; steps++) await Promise.resolve()
    }
    const seen: number[] = []
    time.clock.after(11, 'looks', () => seen.push(steps))
    await time.run(walk())
    await time.elapse(5)
    expect(seen).toEqual([10_000])
  })

  it('passes for several waits together, each of which ends at its own time', async () => {
    const time = new VirtualTime()
    const at = async (ms: number): Promise<number> => {
      await time.elapse(ms)
      return time.clock.now()
    }
    expect(await Promise.all([at(30), at(10), at(20)])).toEqual([30, 10, 20])
  })

  it('runs the code after a finished wait before it passes for other waits', async () => {
    const time = new VirtualTime()
    const order: string[] = []
    const first = time.elapse(10).then(async () => {
      order.push(`first at ${time.clock.now()}`)
      await time.elapse(5)
      order.push(`first at ${time.clock.now()}`)
    })
    await Promise.all([first, time.elapse(12).then(() => order.push(`second at ${time.clock.now()}`))])
    expect(order).toEqual(['first at 10', 'second at 12', 'first at 15'])
  })

  it('rejects at once for a promise that can never settle, and names what is active', async () => {
    const time = new VirtualTime()
    const stuck = time.run(new Promise(() => {}), {
      what: 'the answer of the bank',
      alive: () => ["task 'ask the bank'"],
    })
    await expect(stuck).rejects.toThrow(StuckError)
    await expect(stuck).rejects.toThrow(
      /^the answer of the bank: it would wait forever: no timer is left[^]*still active:\n {2}task 'ask the bank'\n/,
    )
    await expect(time.run(new Promise(() => {}))).rejects.toThrow(/^a promise: [^]*nothing is active/)
  })

  it('rejects if events never end, and names the timers', async () => {
    const time = new VirtualTime({ maxEvents: 1_000 })
    const again = (): void => void time.clock.after(1, 'again', again)
    again()
    await expect(time.run(new Promise(() => {}))).rejects.toThrow(
      /did not happen within 1000 events[^]*timer 'again'/,
    )
  })

  it('works with the fake timers of a test framework', async () => {
    vi.useFakeTimers()
    try {
      const time = new VirtualTime()
      await time.elapse(1_000)
      expect(time.clock.now()).toBe(1_000)
    } finally {
      vi.useRealTimers()
    }
  })

  it('rejects with the error that a condition throws', async () => {
    const time = new VirtualTime()
    const broken = (): boolean => {
      throw new Error('broken condition')
    }
    await expect(time.until(broken, { what: 'nothing' })).rejects.toThrow('broken condition')
    await time.elapse(1)
  })
})
