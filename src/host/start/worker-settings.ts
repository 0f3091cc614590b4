import type { Level } from '../log-levels.ts'
import type { PhoneAccount } from '../reception/entrance-options.ts'
import type { PriceList } from '../../session/index.ts'
import type { ReceptionOptions } from '../reception/reception.ts'

/** What the supervisor tells its workers, in their environment. */
export interface WorkerSettings {
  /** The path of the agent file. */
  readonly agentFile: string
  /** The folder for the spool. */
  readonly spool: string
  /** Calls at once, per worker. */
  readonly maxCalls: number
  /** Whether the worker exits after its first call. */
  readonly isolated: boolean
  readonly closeTimeout: number
  /** How long work stays claimed by a process that is gone, in milliseconds. */
  readonly workLease: number
  /** Where other processes reach a worker. */
  readonly privateHost: string
  /** Signs what one worker gives out for another. */
  readonly ticketKey: string
  readonly whileAway: 'spool' | 'refuse'
  readonly info: Pick<ReceptionOptions['info'], 'version'>
  readonly page?: string
  readonly recordings?: string
  readonly secret?: string
  readonly names: readonly string[]
  readonly phone?: PhoneAccount
  readonly logLevel: Level
  readonly priceList?: PriceList
  readonly goodbye?: string
  readonly welcomeBack?: string
}

/** The environment variable that has the settings, as JSON. */
const VARIABLE = 'ENDWELL_WORKER_SETTINGS'

export function settingsInEnv(settings: WorkerSettings): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(settings) }
}

/** Reads the settings, and removes them from the environment: they have secrets, and child processes inherit it. */
export function takeSettings(env: Record<string, string | undefined>): WorkerSettings {
  const text = env[VARIABLE]
  delete env[VARIABLE]
  if (text === undefined) throw new Error(`${VARIABLE} is not set: workers are started by a supervisor`)
  return JSON.parse(text) as WorkerSettings
}

/** What a worker asks of its supervisor. */
export type WorkerRequest =
  | { readonly type: 'identity' }
  | { readonly type: 'journal'; readonly request: unknown }
  | { readonly type: 'metrics' }
  /** The last metrics of a worker that is about to exit. */
  | { readonly type: 'last-metrics'; readonly snapshot: unknown }
  /** Whether another worker has room for a call. */
  | { readonly type: 'room' }
  /** The address of a worker, or of one with a place for a call. */
  | { readonly type: 'address'; readonly of?: string }
  /** Drain the whole host. */
  | { readonly type: 'drain' }

/** Names the work worker of a host in the journal. */
export function workOwner(host: string, worker: string): string {
  return `${host}/${worker}`
}
