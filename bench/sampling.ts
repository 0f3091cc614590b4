import { median } from './median.ts'

/** What a contestant measures itself with, inside its own process. */

/**
 * Microseconds that one call of `work` takes once it has been called often: the median of fifteen stretches.
 *
 * Garbage is collected before the warm-up and never after it: a full collection throws the optimized code away whose
 * objects have died, and the figure would be that of compiling it anew. The engine's own collections do so as well,
 * once a second; they spoil two or three of the stretches, and the median leaves those out.
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

/** Calls `work` for 0.7 s of computing: the compiler needs up to 0.5. Returns how often that was. */
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
 * Microseconds of computing until `work` is over, on whatever thread: the collector's are a contestant's cost too.
 *
 * None of them waits for anything, so on an idle machine this is about the time that passes; on a busy one it still
 * is, where the time that passes doubles from one run to the next.
 */
export async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Bytes in use that are really needed. */
export function heap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('a bench needs node --expose-gc')
  // What a first pass finalizes only a second one frees.
  globalThis.gc()
  globalThis.gc()
}
