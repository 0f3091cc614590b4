import type { World } from '../../src/testing/index.ts'
import { fallbackLife } from './fallback-life.ts'
import { fleetLife } from './fleet/fleet-life.ts'
import { scopeLife } from './scope-life.ts'
import { sessionLife } from './session-life.ts'
import { supervisorLife } from './supervisor-life.ts'
import type { WorldName } from './world-names.ts'

/** One life in each world. */
export const worlds: Readonly<Record<WorldName, (world: World) => Promise<void>>> = {
  scope: scopeLife,
  session: sessionLife,
  supervisor: supervisorLife,
  fleet: fleetLife,
  fallback: fallbackLife,
}
