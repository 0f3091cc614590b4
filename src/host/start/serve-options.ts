import { join, resolve } from 'node:path'
import { newKey, sign } from '../../lines/index.ts'
import type { Logger } from '../../parts/index.ts'
import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import { checkPriceList, type PriceList } from '../../session/index.ts'
import type { PhoneAccount } from '../reception/entrance-options.ts'
import type { Level } from '../log-levels.ts'
import { ownVersion } from './version.ts'
import type { WorkerSettings } from './worker-settings.ts'

export interface ServeOptions {
  /** Default: 4600. 0 for any free port. */
  readonly port?: number
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string
  /** Where clients and carriers reach this host: `https://phone.example.com`. */
  readonly publicUrl?: string
  /** Host names of this server, besides that of `publicUrl`, addresses and `localhost`. */
  readonly names?: readonly string[]
  /** Required from every client, if set. */
  readonly secret?: string
  /** The folder for the journal and for what is written while that is away. Default: `./endwell-data`. */
  readonly data?: string
  /** A Postgres database for the journal, which several hosts may share. Default: SQLite in the data folder. */
  readonly databaseUrl?: string
  /** Names this host for operators. Default: the name of the machine. */
  readonly name?: string
  /** The version of the program, for operators. Default: that of endwell. */
  readonly version?: string
  /** Processes that take calls. With `isolation: 'process'`, those that wait for the next call. Default: 1. */
  readonly workers?: number
  /** `process`: every call has a process of its own, for agents that block or leak. Default: `none`. */
  readonly isolation?: 'none' | 'process'
  /** Calls at once, in all workers together. Default: 100. */
  readonly maxCalls?: number
  /** Calls out per second, in all workers together. Default: 1. */
  readonly dialRate?: number
  /** Calls out at once that nobody has answered yet, in all workers together. Default: 10. */
  readonly maxDials?: number
  /** `carrier`: the carrier records every phone call. Default: `none`. */
  readonly record?: 'none' | 'carrier'
  /** `carrier`: the carrier presses telephone keys. Default: `tones` in the sound. */
  readonly keys?: 'tones' | 'carrier'
  /** In MB, per worker. A worker above it is drained and replaced. Default: none. */
  readonly memoryLimit?: number
  /** How long calls may take to finish by themselves when the host drains, in milliseconds. Default: 10 minutes. */
  readonly drainTimeout?: number
  /** How long a session may take to close, in milliseconds. Default: 5 s. */
  readonly closeTimeout?: number
  /** Prices by product, for the cost of calls, unless the agent file has its own list. Default: `defaultPriceList`. */
  readonly priceList?: PriceList
  /** How long this host may be silent before others adopt its calls, in milliseconds. Default: 15 s. */
  readonly lease?: number
  /** How long a caller whose process is gone may take to come back, in milliseconds. Default: 20 s. */
  readonly resumeWindow?: number
  /** The address at which other hosts reach this one. Default: 127.0.0.1, which only this machine can reach. */
  readonly privateHost?: string
  /** Whether calls are taken while the journal is away. Default: `spool`. */
  readonly whileAway?: 'spool' | 'refuse'
  /** How long calls are kept in the journal, in milliseconds. Default: 30 days. */
  readonly retention?: number
  readonly phone?: PhoneAccount
  /**
   * The folder for recordings. Every call is recorded, and the page can play it. Recordings are kept as long as calls. Tell
   * your callers: in many places, they have to agree. Default: none, calls are only recorded if the agent file says so.
   */
  readonly recordings?: string
  /** The folder of the page. Default: none. */
  readonly page?: string
  /** What is said to callers who are still there when a drain ends. */
  readonly goodbye?: string
  /** What is said to a caller whose call goes on in another process. */
  readonly welcomeBack?: string
  /** The level of the workers' logs. Default: `info`. */
  readonly logLevel?: Level
  readonly logger?: Logger
}

const optionNames: OptionNames<ServeOptions> = {
  port: true,
  host: true,
  publicUrl: true,
  names: true,
  secret: true,
  data: true,
  databaseUrl: true,
  name: true,
  version: true,
  workers: true,
  isolation: true,
  maxCalls: true,
  dialRate: true,
  maxDials: true,
  record: true,
  keys: true,
  memoryLimit: true,
  drainTimeout: true,
  closeTimeout: true,
  priceList: true,
  lease: true,
  resumeWindow: true,
  privateHost: true,
  whileAway: true,
  retention: true,
  phone: true,
  recordings: true,
  page: true,
  goodbye: true,
  welcomeBack: true,
  logLevel: true,
  logger: true,
}

export function checkServeOptions(options: ServeOptions): void {
  checkOptions('serve', options, optionNames)
  const { publicUrl, isolation = 'none', priceList } = options
  if (priceList !== undefined) checkPriceList('priceList', priceList)
  if (isolation !== 'none' && isolation !== 'process')
    throw new OptionError(`isolation must be 'none' or 'process'; it is '${String(isolation)}'`)
  if (publicUrl !== undefined && !URL.canParse(publicUrl))
    throw new OptionError(`publicUrl must be a URL, such as https://phone.example.com; it is '${publicUrl}'`)
}

/** What the workers have to know. */
export function workerSettings(agentFile: string, options: ServeOptions): WorkerSettings {
  const { data = './endwell-data', closeTimeout = 5_000 } = options
  const { lease = 15_000 } = options
  const { privateHost = '127.0.0.1', whileAway = 'spool', logLevel = 'info', names = [], publicUrl } = options
  const { page, recordings, secret, phone, goodbye, welcomeBack, priceList } = options
  const { version = ownVersion() } = options
  return {
    agentFile,
    spool: spoolOf(data),
    maxCalls: callsPerWorker(options),
    isolated: options.isolation === 'process',
    closeTimeout,
    // Longer than the host's: its work is adopted after its calls, and a busy journal must not lose it.
    workLease: 2 * lease,
    privateHost,
    ticketKey: secret === undefined ? newKey() : sign('endwell tickets', secret),
    whileAway,
    info: { version },
    names: [...names, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])],
    logLevel,
    ...(page === undefined ? {} : { page }),
    ...(recordings === undefined ? {} : { recordings: resolve(recordings) }),
    ...(secret === undefined ? {} : { secret }),
    phone: { ...phone, ...callSettings(options), ...(publicUrl === undefined ? {} : { publicUrl }) },
    ...(priceList === undefined ? {} : { priceList }),
    ...(goodbye === undefined ? {} : { goodbye }),
    ...(welcomeBack === undefined ? {} : { welcomeBack }),
  }
}

/** Calls at once, per worker. */
export function callsPerWorker({ isolation, workers = 1, maxCalls = 100 }: ServeOptions): number {
  return isolation === 'process' ? 1 : Math.max(1, Math.floor(maxCalls / workers))
}

/** How fast each worker may call out, and what the carrier does in calls. */
function callSettings({
  workers = 1,
  dialRate = 1,
  maxDials = 10,
  record,
  keys = 'tones',
}: ServeOptions): PhoneAccount {
  return {
    dialRate: dialRate / workers,
    maxDials: Math.max(1, Math.floor(maxDials / workers)),
    record: record === 'carrier',
    keys,
  }
}

/** The folder for what is written while the journal is away. */
export function spoolOf(data: string): string {
  return join(data, 'spool')
}
