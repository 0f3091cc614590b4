import { describe, expect, it } from 'vitest'
import { Silence } from './silence.ts'

const waiting = { cpu: 0, runnable: false }

/** Looks once per `elapsed` until the process counts as stuck, and returns how often. */
function looksUntilStuck(
  silence: Silence,
  elapsed: number,
  cpu: number,
  runnable: boolean,
): number | undefined {
  for (let looks = 1; looks <= 100; looks++)
    if (silence.look(elapsed, () => ({ cpu: cpu * looks, runnable }))) return looks
  return undefined
}

describe('a silent watchdog', () => {
  it('[HO23] does not count before its first beat', () => {
    expect(looksUntilStuck(new Silence(), 500, 0, false)).toBeUndefined()
  })

  it.each([
    ['waits', 0, false],
    ['computes', 400, true],
  ])('[HO23] means after 2 s that its process, which %s, is stuck', (_, cpu, runnable) => {
    const silence = new Silence()
    silence.beat()
    expect(silence.look(500, () => waiting)).toBe(false)
    expect(looksUntilStuck(silence, 500, cpu, runnable)).toBe(4)
  })

  it('[HO23] of a process that gets no CPU is no evidence', () => {
    const silence = new Silence()
    silence.beat()
    expect(looksUntilStuck(silence, 500, 10, true)).toBeUndefined()
  })

  it('[HO23] is no evidence while the supervisor itself is late', () => {
    const silence = new Silence()
    silence.beat()
    expect(looksUntilStuck(silence, 5_000, 0, false)).toBeUndefined()
  })

  it('ends with a beat', () => {
    const silence = new Silence()
    for (let looks = 0; looks < 100; looks++) {
      silence.beat()
      expect(silence.look(500, () => waiting)).toBe(false)
      expect(silence.look(500, () => waiting)).toBe(false)
    }
  })
})
