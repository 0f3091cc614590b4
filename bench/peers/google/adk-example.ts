// #region the lines that are added: the imports and the guard
import 'endwell/guard/install' // once, before the framework
import { guardAdk, type GuardReport } from 'endwell/guard'
import { LiveRequestQueue, type Event, type Runner } from '@google/adk'

export async function answer(
  runner: Runner,
  call: { userId: string; sessionId: string },
  isLast: (event: Event) => boolean,
): Promise<GuardReport> {
  const queue = new LiveRequestQueue()
  const run = guardAdk(runner.runLive({ ...call, liveRequestQueue: queue }), { queue, closeTimeout: 3_000 })
  queue.sendContent({ role: 'user', parts: [{ text: 'Hello.' }] })
  for await (const event of run.events) {
    if (isLast(event)) break // the run is closed when the loop is left
  }
  return run.close()
}
// #endregion
