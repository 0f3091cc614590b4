import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
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

/** Blocks the process, as a busy tool or a suspended machine does. */
function block(ms: number): void {
  const until = systemClock.now() + ms
  while (systemClock.now() < until);
}

it('[SC21] a timeout does not fire if what it waits for arrived while the process was blocked', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const near = connect((server.address() as { port: number }).port, '127.0.0.1')
  onTestFinished(() => void near.destroy())
  const [far] = (await once(server, 'connection')) as [NodeJS.ReadWriteStream]
  const seen: string[] = []
  far.once('data', () => {
    seen.push('arrived')
    timeout.clear()
  })
  const later = new Promise<void>((resolve) => {
    systemClock.after(20, 'another one', () => (seen.push('another one'), resolve()))
  })
  const timeout = systemClock.after(10, 'a timeout', () => seen.push('timed out'))
  near.write('the answer')
  block(250)
  await later
  expect(seen).toEqual(['arrived', 'another one'])
})

it('[SC21] timers fire in order, although only the first of them is late', async () => {
  const seen: string[] = []
  systemClock.after(10, 'the late one', () => seen.push('the late one'))
  await new Promise<void>((resolve) => {
    systemClock.after(240, 'the punctual one', () => (seen.push('the punctual one'), resolve()))
    block(250)
  })
  expect(seen).toEqual(['the late one', 'the punctual one'])
})
