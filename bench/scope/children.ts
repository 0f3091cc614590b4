import type { Sample } from '../bench.ts'
import { cpuTime, heap, perCall } from '../sampling.ts'

/** How many tasks are live at once. effection gets fewer, because it would take as long as all others together. */
export const liveTasks = { all: 100_000, effection: 10_000 } as const

/** Starts `count` children in a new scope, awaits `live` once all of them are waiting, then cancels and awaits them. */
export type Family = (count: number, children: Children, live: () => void | Promise<void>) => Promise<void>

/** Counts the children of a scope, so that a contestant is not done before the last `finally` has run. */
export class Children {
  #waiting = 0
  #left: number
  #resolve: () => void = () => {}
  /** Resolves when the `finally` of every child has run. */
  readonly done: Promise<void>

  constructor(count: number) {
    this.#left = count
    this.done = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** A child begins to wait. */
  begun(): void {
    this.#waiting++
  }

  /** A child's `finally` runs. */
  ended(): void {
    if (--this.#left === 0) this.#resolve()
  }

  get waiting(): number {
    return this.#waiting
  }
}

/** A user's function with an `AbortSignal`: the child of all contestants except endwell. */
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

/** The cost of ten tasks and of many. The ten come first, because the garbage of the many would add to their cost. */
export async function timeFamily(family: Family, count: number = liveTasks.all): Promise<Sample> {
  const ten = await perCall(() => run(family, 10))
  const took = await cpuTime(() => run(family, count))
  return { ten, tasks: took / count }
}

/** The memory of a waiting task. Must be measured last: the tasks are never cancelled, because the process is about to exit. */
export function weighFamily(family: Family, count: number = liveTasks.all): Promise<Sample> {
  const before = heap()
  return new Promise((resolve, reject) => {
    const weigh = (): Promise<void> => {
      resolve({ heap: (heap() - before) / count })
      return new Promise(() => {})
    }
    run(family, count, weigh).catch(reject)
  })
}

async function run(
  family: Family,
  count: number,
  live: () => void | Promise<void> = () => {},
): Promise<void> {
  const children = new Children(count)
  await family(count, children, () => {
    if (children.waiting !== count) throw new Error(`${children.waiting} of ${count} children are waiting`)
    return live()
  })
  await children.done
}
