/** What a contestant measures itself with, inside its own process. */

/**
 * Microseconds that one call of `work` takes, over so many calls, after as many to warm up.
 *
 * Garbage is collected before the warm-up and never after it: a full collection throws the optimized code away whose
 * objects have died, and the figure would be that of compiling it anew.
 */
export async function perCall(calls: number, work: () => Promise<unknown>): Promise<number> {
  collectGarbage()
  await repeat(calls, work)
  return (await cpuTime(() => repeat(calls, work))) / calls
}

export async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times; i++) await work()
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

export function collectGarbage(): void {
  if (!globalThis.gc) throw new Error('a bench needs node --expose-gc')
  // What a first pass finalizes only a second one frees.
  globalThis.gc()
  globalThis.gc()
}
