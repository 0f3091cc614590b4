import { installHooks } from './install-hooks.ts'

/**
 * Installs the guard's hooks in Node: sockets, processes, workers, timers and HTTP agents. Import this module once, before
 * the framework to be guarded. Further imports, even from another copy of the package, have no effect. The hooks do
 * nothing until there is a guard.
 */
export function install(): void {
  installHooks()
}

install()
