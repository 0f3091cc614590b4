import type { Sample } from '../bench.ts'
import { timeFamily, untilAborted, weighFamily, type Family } from './children.ts'
import { measureFrames, type AwaitFrame } from './frames.ts'

/** As it is usually written: every `abort()` creates its own reason, a `DOMException` with a stack. */
const family: Family = async (count, children, live) => {
  const controllers: AbortController[] = []
  const tasks: Promise<void>[] = []
  for (let i = 0; i < count; i++) {
    const controller = new AbortController()
    controllers.push(controller)
    tasks.push(untilAborted(children, controller.signal))
  }
  await live()
  for (const controller of controllers) controller.abort()
  await Promise.allSettled(tasks)
}

export async function measure(): Promise<Sample> {
  const times = await timeFamily(family)
  const frames = await measureFrames(listening(new AbortController().signal))
  return { ...times, ...frames, ...(await weighFamily(family)) }
}

function listening(signal: AbortSignal): AwaitFrame {
  return (frame) =>
    new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      frame.then(
        (value) => {
          signal.removeEventListener('abort', onAbort)
          resolve(value)
        },
        (error: unknown) => {
          signal.removeEventListener('abort', onAbort)
          reject(error)
        },
      )
    })
}
