import { median } from './median.ts'

/**
 * Microseconds per call of `work` once it is warm: the median of fifteen stretches.
 *
 * Garbage is collected before the warm-up and not after it, because a full collection discards optimized code whose objects
 * are dead, and the figure would include compiling it again. The engine's own collections, about one per second, do the
 * same to two or three stretches, which the median leaves out.
 */
export async function perCall(work: () => Promise<unknown>): Promise<number> {
  const stretch = Math.ceil((await warmUp(work)) / 20)
  const samples: number[] = []
  for (let i = 0; i < 15; i++) {
    const took = await cpuTime(async () => {
      for (let call = 0; call < stretch; call++) await work()
    })
    samples.push(took / stretch)
  }
  return median(samples)
}

/** Calls `work` for 0.7 s of CPU time, because the JIT needs up to 0.5 s. Returns the number of calls. */
async function warmUp(work: () => Promise<unknown>): Promise<number> {
  collectGarbage()
  let calls = 0
  let took = 0
  while (took < 700_000) {
    took += await cpuTime(async () => {
      for (let call = 0; call < 20; call++) await work()
    })
    calls += 20
  }
  return calls
}

/**
 * Microseconds of CPU time that `work` takes, on all threads: garbage collection is part of a contestant's cost.
 *
 * The contestants do not wait for anything, so on an idle machine this is about the wall time. On a busy machine, wall time
 * can double from one run to the next, and CPU time does not.
 */
export async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Bytes of live heap, after a garbage collection. */
export function heap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('a benchmark needs node --expose-gc')
  // Objects finalized in the first pass are freed in the second one.
  globalThis.gc()
  globalThis.gc()
}
