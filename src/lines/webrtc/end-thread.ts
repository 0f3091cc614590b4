import { Session } from 'node:inspector'
import type { Worker } from 'node:worker_threads'
import { noop, type Clock } from '../../scope/index.ts'
import { limits } from './limits.ts'
import type { ToThread } from './thread-messages.ts'

/**
 * Ends a thread that has UDP sockets. Node 20 ends the whole process if `terminate()` interrupts the callback of a promise, and a
 * packet arrives before the thread has stopped. So the thread exits by itself, and one that is blocked is interrupted first. Only a
 * thread that does not exit even then is terminated.
 */
export function endThread(worker: Worker, clock: Clock): void {
  const timers = [
    clock.after(limits.exitPatience, 'exit of a WebRTC thread', () => interrupt(worker)),
    clock.after(2 * limits.exitPatience, 'end of a WebRTC thread', () => {
      worker.terminate().catch(noop)
    }),
  ]
  worker.once('exit', () => {
    for (const timer of timers) timer.clear()
  })
  worker.postMessage({ type: 'exit', peer: 0 } satisfies ToThread, [])
}

/** Ends what a thread is doing, by means of a debugger. The thread goes on with its next event. */
function interrupt(worker: Worker): void {
  const session = new Session()
  try {
    session.connect()
  } catch {
    // Node's permission model allows no debugger. The thread is terminated soon.
    return
  }
  worker.once('exit', () => session.disconnect())
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    if (!workerInfo.title.startsWith(`[worker ${worker.threadId}]`)) return
    const message = JSON.stringify({ id: 1, method: 'Runtime.terminateExecution' })
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
  })
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
}
