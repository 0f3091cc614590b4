import type { World } from '../../src/testing/index.ts'
import { fleetLife } from './fleet/fleet-life.ts'
import { fallbackLife } from './fallback-life.ts'
import { scopeLife } from './scope-life.ts'
import { sessionLife } from './session-life.ts'
import { supervisorLife } from './supervisor-life.ts'

/** The worlds that can be simulated, by name. */
export const worlds: Readonly<Record<string, (world: World) => Promise<void>>> = {
  scope: scopeLife,
  session: sessionLife,
  supervisor: supervisorLife,
  fleet: fleetLife,
  fallback: fallbackLife,
}
