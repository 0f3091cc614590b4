import { describe, expect, it } from 'vitest'
import { VendorHealth } from './vendor-health.ts'

const all = [0, 1, 2]

describe('the health of vendors', () => {
  it('[FB2] asks a vendor that failed last until its cool-down has passed', () => {
    const health = new VendorHealth({ coolDown: 1_000 })
    expect(health.best(all, 0)).toBe(0)
    health.failed(0, health.begin(0, 0, 50), 'busy', 0)
    expect(health.best(all, 999)).toBe(1)
    expect(health.ailmentOf(0, 999)).toMatchObject({ failures: 1, until: 1_000, error: 'busy' })
    expect(health.best(all, 1_000)).toBe(0)
    expect(health.ailmentOf(0, 1_000)).toBeUndefined()
  })

  it('[FB2] doubles the cool-down with each further failure, up to a limit, until the vendor works', () => {
    const health = new VendorHealth()
    const fail = (now: number): number => health.failed(0, health.begin(0, now, 50), 'busy', now)!.until - now
    expect([0, 1, 2, 3, 4, 5].map(fail)).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000])
    expect(health.worked(0, health.begin(0, 6, 50))).toBe(true)
    expect(health.worked(0, health.begin(0, 6, 50))).toBe(false)
    expect(health.best(all, 6)).toBe(0)
    expect(fail(7)).toBe(30_000)
    expect(new VendorHealth({ coolDown: 600_000 }).failed(0, 1, 'busy', 0)).toMatchObject({ until: 600_000 })
  })

  it('[FB2] counts uses that fail together as one failure, and ignores the success of an older use', () => {
    const health = new VendorHealth({ coolDown: 1_000 })
    const uses = [1, 2, 3, 4].map(() => health.begin(0, 0, 50))
    const [first, second, third, old] = uses as [number, number, number, number]
    expect(health.failed(0, first, 'lost', 10)).toMatchObject({ failures: 1, until: 1_010 })
    expect(health.failed(0, second, 'lost', 10)).toBeUndefined()
    expect(health.failed(0, third, 'lost', 500)).toBeUndefined()
    expect(health.worked(0, old)).toBe(false)
    expect(health.ailmentOf(0, 1_009)).toMatchObject({ failures: 1 })
    expect(health.failed(0, health.begin(0, 20, 50), 'lost', 30)).toMatchObject({ failures: 2, until: 2_030 })
  })

  it('[FB3] begins with the vendor whose cool-down ends soonest if none is healthy', () => {
    const health = new VendorHealth({ coolDown: 1_000 })
    for (const [vendor, now] of [
      [0, 20],
      [1, 10],
      [2, 30],
    ] as const)
      health.failed(vendor, health.begin(vendor, now, 50), 'busy', now)
    expect(health.best(all, 40)).toBe(1)
    expect(health.best([0, 2], 40)).toBe(0)
    expect(health.best([], 40)).toBeUndefined()
  })

  it('[FB3] lets one use find out whether a vendor works again, and the others wait for it', () => {
    const health = new VendorHealth({ coolDown: 1_000 })
    health.failed(0, health.begin(0, 0, 50), 'busy', 0)
    const trial = health.begin(0, 1_000, 50)
    expect(health.best(all, 1_000)).toBe(1)
    // The use was cancelled: the next one may find out.
    expect(health.best(all, 1_050)).toBe(0)
    expect(health.worked(0, trial)).toBe(true)
    expect(health.best(all, 1_000)).toBe(0)
  })
})
