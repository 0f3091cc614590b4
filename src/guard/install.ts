import { findRuntime, createRuntime } from './runtime.ts'
import { patchHttp } from './patch-http.ts'
import { patchNet } from './patch-net.ts'
import { patchProcesses } from './patch-processes.ts'
import { patchTimers } from './patch-timers.ts'

/**
 * Installs the guard's hooks in Node: sockets, processes, workers, timers and HTTP agents. Import this module once, before
 * the framework to be guarded. Further imports, even from another copy of the package, have no effect. The hooks do
 * nothing until there is a guard.
 */
export function install(): void {
  if (findRuntime()) return
  const runtime = createRuntime()
  patchNet(runtime)
  patchProcesses(runtime)
  patchTimers(runtime)
  patchHttp(runtime)
}

install()
