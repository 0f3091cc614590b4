import type { Sample } from '../bench.ts'
import { cpuTime, heap, perCall } from '../sampling.ts'

/** How many tasks live at once; effection gets fewer, or it alone would take as long as the rest. */
export const liveTasks = { all: 100_000, effection: 10_000 } as const

/** Starts `count` children in a new scope, awaits `live` when all of them wait, then cancels and awaits them. */
export type Family = (count: number, children: Children, live: () => void | Promise<void>) => Promise<void>

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

/** What ten tasks and many cost. The small first: after the many, their garbage is on the bill of what comes next. */
export async function timeFamily(family: Family, count: number = liveTasks.all): Promise<Sample> {
  const ten = await perCall(() => run(family, 10))
  const took = await cpuTime(() => run(family, count))
  return { ten, tasks: took / count }
}

/** What a waiting task weighs. To be measured last: nobody ends these, since the process is about to. */
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
  await children.over
}
