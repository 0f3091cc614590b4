import { findRuntime, createRuntime, type Runtime } from './runtime.ts'
import { patchHttp } from './patch-http.ts'
import { patchNet } from './patch-net.ts'
import { patchProcesses } from './patch-processes.ts'
import { patchTimers } from './patch-timers.ts'

/**
 * Installs the guard's hooks in Node: sockets, processes, workers, timers and HTTP agents. Does nothing if they are
 * installed, even by another copy of the package. The hooks do nothing until there is a guard, or a hunt.
 */
export function installHooks(): Runtime {
  const known = findRuntime()
  if (known) return known
  const runtime = createRuntime()
  patchNet(runtime)
  patchProcesses(runtime)
  patchTimers(runtime)
  patchHttp(runtime)
  return runtime
}
