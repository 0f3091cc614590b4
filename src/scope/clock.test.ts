import { expect, it, vi } from 'vitest'
import { drain } from '../testing/index.ts'
import { systemClock } from './clock.ts'

it('[SC17] the system clock lists its timers by name until they fire or are cleared', async () => {
  const before = systemClock.timers.size
  const fired = new Promise<void>((resolve) => {
    systemClock.after(0, 'soon', resolve)
  })
  const later = systemClock.after(60_000, 'later', () => expect.unreachable())
  expect(systemClock.timers.list().slice(before)).toMatchObject([
    { kind: 'timer', name: 'soon' },
    { kind: 'timer', name: 'later' },
  ])
  later.clear()
  later.clear()
  await fired
  expect(systemClock.timers.size).toBe(before)
})

it('a delay longer than the platform supports does not fire at once', async () => {
  let fired = false
  const timer = systemClock.after(Number.MAX_SAFE_INTEGER, 'next century', () => (fired = true))
  await drain()
  await drain()
  timer.clear()
  expect(fired).toBe(false)
})

it('a delay longer than the platform supports fires on time', () => {
  vi.useFakeTimers()
  try {
    let fired = false
    systemClock.after(30 * 86_400_000, 'in thirty days', () => (fired = true))
    vi.advanceTimersByTime(30 * 86_400_000 - 1)
    expect(fired).toBe(false)
    vi.advanceTimersByTime(1)
    expect(fired).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

it('the system clock is monotonic and knows the date', () => {
  const first = systemClock.now()
  expect(systemClock.now()).toBeGreaterThanOrEqual(first)
  expect(new Date(systemClock.date()).getUTCFullYear()).toBeGreaterThan(2025)
})
