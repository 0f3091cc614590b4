import { call, run, spawn, suspend, type Task } from 'effection'

import type { Sample } from '../bench.ts'
import { perCall } from '../sampling.ts'
import { liveTasks, timeFamily, untilAborted, weighFamily, type Family } from './children.ts'

/** With its own controllers, because `useAbortSignal` is a resource and costs five times as much. */
const family: Family = async (count, children, live) => {
  let spawned: () => void = () => {}
  const ready = new Promise<void>((resolve) => {
    spawned = resolve
  })
  const parent = run(function* () {
    const tasks: Task<void>[] = []
    for (let i = 0; i < count; i++) {
      const task = yield* spawn(function* () {
        const controller = new AbortController()
        try {
          yield* call(() => untilAborted(children, controller.signal))
        } finally {
          controller.abort()
        }
      })
      tasks.push(task)
    }
    // Children start in order once their parent waits.
    tasks.push(yield* spawn(() => call(spawned)))
    yield* suspend()
  })
  await ready
  await live()
  await parent.halt()
}

export async function measure(): Promise<Sample> {
  const times = await timeFamily(family, liveTasks.effection)
  const empty = await perCall(() => run(function* () {}))
  return { ...times, empty, ...(await weighFamily(family, liveTasks.effection)) }
}
