import { describe, expect, it } from 'vitest'
import { Watchdog } from './watchdog.ts'

describe('a watchdog', () => {
  it('[LN2] notices a caller who gives no sign of life for as long as its patience', () => {
    const watchdog = new Watchdog(10_000)
    expect(watchdog.start(1_000)).toBe(10_000)
    watchdog.lastSign = 4_000
    expect(watchdog.check(11_000)).toBe(3_000)
    expect(watchdog.check(14_000)).toBe(0)
  })

  it('[LN2] gives a process that was suspended time to read what arrived meanwhile', () => {
    const watchdog = new Watchdog(10_000)
    watchdog.start(0)
    expect(watchdog.check(60_000)).toBe(2_500)
    watchdog.lastSign = 60_010
    expect(watchdog.check(62_500)).toBe(7_510)
  })

  it('[LN2] does not wait for a caller who stays silent after the process was resumed', () => {
    const watchdog = new Watchdog(10_000)
    watchdog.start(0)
    watchdog.check(60_000)
    expect(watchdog.check(62_500)).toBe(0)
  })

  it('starts over when the caller joins again', () => {
    const watchdog = new Watchdog(10_000)
    watchdog.start(0)
    watchdog.start(50_000)
    expect(watchdog.check(60_000)).toBe(0)
  })
})
