import { ChildProcess } from 'node:child_process'
import type { Worker } from 'node:worker_threads'
import { contextOf, type Runtime } from './runtime.ts'
import { openedProcess, openedWorker } from './opened-things.ts'
import { watch } from './patch-net.ts'
import { afterDelay } from './patch-timers.ts'

type Spawn = (this: ChildProcess, options: { readonly file: string }) => unknown

/** Hooks every child process (`spawn`, `exec`, `execFile`, `fork`) and every worker. */
export function patchProcesses(runtime: Runtime): void {
  const prototype = ChildProcess.prototype as unknown as { spawn: Spawn }
  const { spawn } = prototype
  prototype.spawn = function (options) {
    const context = contextOf(runtime)
    if (!context) return Reflect.apply(spawn, this, [options])
    const refusal = context.refuse('start a process')
    if (!refusal) {
      const result = Reflect.apply(spawn, this, [options])
      context.opened(openedProcess(this, options.file))
      return result
    }
    // The same state as after a failed start.
    Object.assign(this, { stdin: null, stdout: null, stderr: null, stdio: [null, null, null] })
    afterDelay(refusal.delay, () => this.emit('error', refusal.error))
    return 0
  }
  watch(runtime, 'worker_threads', (message) => openedWorker((message as { worker: Worker }).worker))
}
