import { describe, expect, it } from 'vitest'
import { BlockWatch, type Verdict } from './block-watch.ts'

interface Look {
  /** Milliseconds since the look before. Default: 100. */
  readonly elapsed?: number
  readonly turned?: boolean
  /** CPU time since the look before. */
  readonly cpu?: number
  readonly runnable?: boolean
  /** Whether another thread of the process is runnable, and the CPU time of the process since the look before. */
  readonly others?: { readonly runnable: boolean; readonly cpu: number }
}

/** Looks this often, always seeing the same, and returns the verdicts. */
function verdicts(
  times: number,
  { elapsed = 100, turned = false, cpu = 0, runnable = true, others = { runnable: false, cpu: 0 } }: Look,
): Verdict[] {
  const watch = new BlockWatch()
  watch.look({ elapsed, turned: true, state: { cpu: 0, runnable }, readProcess: () => undefined })
  return Array.from({ length: times }, (_, index) =>
    watch.look({
      elapsed,
      turned,
      state: { cpu: cpu * (index + 1), runnable },
      readProcess: () => ({ cpu: others.cpu * (index + 1), runnable: others.runnable }),
    }),
  )
}

describe('the watch over an event loop', () => {
  it.each([
    ['computes', { cpu: 100 }],
    ['waits', { runnable: false }],
    ['waits for a thread that computes', { runnable: false, others: { runnable: true, cpu: 100 } }],
  ])('[HO23] calls a loop that %s without a turn blocked after 500 ms, and stuck after 2 s', (_, look) => {
    const found = verdicts(25, look)
    expect(found.indexOf('blocked')).toBe(4)
    expect(found.indexOf('stuck')).toBe(19)
  })

  it('[HO23] leaves a loop alone that is runnable and gets no CPU', () => {
    expect(new Set(verdicts(1_000, { cpu: 0.1, runnable: true }))).toEqual(new Set(['turning']))
  })

  it('[HO23] leaves a loop alone that waits for a thread without CPU, such as one that collects garbage', () => {
    const starved = verdicts(1_000, { runnable: false, others: { runnable: true, cpu: 10 } })
    expect(new Set(starved)).toEqual(new Set(['turning']))
  })

  it('[HO23] needs more looks on a busy machine, where a loop computes less', () => {
    const found = verdicts(100, { cpu: 10 })
    expect(found.indexOf('blocked')).toBe(44)
    expect(found.indexOf('stuck')).toBe(99)
  })

  it('[HO23] counts a look that comes late as one: after a sleep of the machine, nothing is blocked', () => {
    expect(verdicts(4, { elapsed: 3_600_000, runnable: false })).not.toContain('blocked')
  })

  it('starts again with every turn', () => {
    expect(new Set(verdicts(100, { turned: true, cpu: 100 }))).toEqual(new Set(['turning']))
  })

  it('counts time alone where the state of a thread cannot be read', () => {
    const watch = new BlockWatch()
    const found = Array.from({ length: 30 }, () =>
      watch.look({ elapsed: 100, turned: false, state: undefined, readProcess: () => undefined }),
    )
    expect(found.indexOf('blocked')).toBe(5)
    expect(found.indexOf('stuck')).toBe(20)
  })
})
