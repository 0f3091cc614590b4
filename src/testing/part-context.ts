import { wsNetwork } from '../link/index.ts'
import { silentLogger, type ConnectionReport, type Logger, type PartContext } from '../parts/index.ts'
import { Scope, type Clock, type Network, type Random, type ScopeOptions } from '../scope/index.ts'

export interface PartContextOptions extends Omit<ScopeOptions<string>, 'clock' | 'phases'> {
  logger?: Logger
}

/** A context that remembers how connections ended. */
export interface TestPartContext extends PartContext {
  readonly connections: readonly ConnectionReport[]
}

/** What a part is opened with, in a scope of its own. Close `scope`, and nothing of the part may be left. */
export function partContext(
  {
    clock,
    random,
    network = wsNetwork,
  }: { readonly clock: Clock; readonly random: Random; readonly network?: Network | undefined },
  { logger = silentLogger, ...options }: PartContextOptions = {},
): TestPartContext {
  const scope = new Scope<string>('part', { clock, phases: ['tasks', 'resources'], ...options })
  const connections: ConnectionReport[] = []
  return { scope, network, random, logger, connections, ended: (connection) => connections.push(connection) }
}
