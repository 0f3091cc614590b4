import { wsNetwork } from '../link/index.ts'
import {
  silentLogger,
  type ConnectionReport,
  type Logger,
  type PartContext,
  type Usage,
} from '../parts/index.ts'
import { Scope, type Clock, type Network, type Random, type ScopeOptions } from '../scope/index.ts'

export interface PartContextOptions extends Omit<ScopeOptions<string>, 'clock' | 'phases'> {
  logger?: Logger
}

/** A context that records how connections ended, and what was used. */
export interface TestPartContext extends PartContext {
  readonly connections: readonly ConnectionReport[]
  /** What the part has used. */
  readonly usages: readonly Usage[]
}

/** Creates a context to open a part in. Closing its `scope` must leave nothing of the part behind. */
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
  const usages: Usage[] = []
  return {
    scope,
    network,
    random,
    logger,
    connections,
    usages,
    ended: (connection) => connections.push(connection),
    used: (usage) => usages.push(usage),
  }
}
