import { findRuntime, createRuntime } from './runtime.ts'
import { patchHttp } from './patch-http.ts'
import { patchNet } from './patch-net.ts'
import { patchProcesses } from './patch-processes.ts'
import { patchTimers } from './patch-timers.ts'

/**
 * Hooks the guard into Node: sockets, processes, workers, timers and HTTP agents. Import it once, before the framework
 * that is to be guarded. A second import, also from another copy of the package, changes nothing. The hooks do nothing
 * until there is a guard.
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
