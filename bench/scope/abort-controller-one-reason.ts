import type { Sample } from '../bench.ts'
import { timeFamily, untilAborted, weighFamily, type Family } from './children.ts'

/** As a careful user writes it: with one shared reason, like endwell. */
const family: Family = async (count, children, live) => {
  const controllers: AbortController[] = []
  const tasks: Promise<void>[] = []
  for (let i = 0; i < count; i++) {
    const controller = new AbortController()
    controllers.push(controller)
    tasks.push(untilAborted(children, controller.signal))
  }
  await live()
  const reason = new Error('closed')
  for (const controller of controllers) controller.abort(reason)
  await Promise.allSettled(tasks)
}

export async function measure(): Promise<Sample> {
  return { ...(await timeFamily(family)), ...(await weighFamily(family)) }
}
