import type { Sample } from '../bench.ts'
import { cpuTime, heap, perCall } from '../sampling.ts'
import { liveTasks } from './index.ts'

/** Starts `count` children in a new scope, calls `live` when all of them wait, then cancels and awaits them. */
export type Family = (count: number, child: Children, live: () => void) => Promise<void>

/** Counts the children of one scope, so that no contestant is done before the last `finally` has run. */
export class Children {
  #waiting = 0
  #left: number
  #over: () => void = () => {}
  /** Resolves when the `finally` of every child has run. */
  readonly over: Promise<void>

  constructor(count: number) {
    this.#left = count
    this.over = new Promise((resolve) => {
      this.#over = resolve
    })
  }

  /** A child begins to wait. */
  begun(): void {
    this.#waiting++
  }

  /** A child's `finally` runs. */
  ended(): void {
    if (--this.#left === 0) this.#over()
  }

  get waiting(): number {
    return this.#waiting
  }
}

/** A user's function written for an `AbortSignal`: the child of everybody but endwell. */
export async function untilAborted(children: Children, signal: AbortSignal): Promise<void> {
  children.begun()
  try {
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  } finally {
    children.ended()
  }
}

/** The figures of tasks: of many at once, and of ten at a time. */
export async function measureFamily(
  family: Family,
  weigh: boolean,
  count: number = liveTasks.all,
): Promise<Sample> {
  // The small first: after the many, their garbage is on the bill of whatever comes next.
  const ten = await perCall(() => run(family, 10))
  const took = await cpuTime(() => run(family, count))
  const times = { tasks: took / count, ten }
  return weigh ? { ...times, heap: await weight(family, count) } : times
}

async function weight(family: Family, count: number): Promise<number> {
  const before = heap()
  let during = 0
  await run(family, count, () => {
    during = heap()
  })
  return (during - before) / count
}

async function run(family: Family, count: number, live: () => void = () => {}): Promise<void> {
  const children = new Children(count)
  await family(count, children, () => {
    if (children.waiting !== count) throw new Error(`${children.waiting} of ${count} children are waiting`)
    live()
  })
  await children.over
}
