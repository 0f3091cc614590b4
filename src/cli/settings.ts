import { describeDatabase } from '../host/journal/index.ts'
import { logLevels } from '../host/log-levels.ts'
import { checkSecret } from '../lines/index.ts'
import { InvalidValue, type Setting } from './configuration.ts'
import { priceFile } from './price-file.ts'
import { address, anyText, databaseUrl, hostNames, memory, oneOf, time, url, wholeNumber } from './values.ts'

const option = <T>(
  name: string,
  variable: string,
  rest: Omit<Setting<T>, 'name' | 'flag' | 'variable'>,
): Setting<T> => ({
  name,
  flag: true,
  variable,
  ...rest,
})

/** Has no option: other users of a machine see the arguments of its processes. */
const inEnvironment = <T>(
  name: string,
  variable: string,
  rest: Omit<Setting<T>, 'name' | 'flag' | 'variable' | 'value'>,
): Setting<T> => ({ name, flag: false, variable, value: 'text', ...rest })

function secret(text: string): string {
  try {
    checkSecret(text)
  } catch {
    throw new InvalidValue(`must have 16 characters or more; it has ${text.length}: use 32 random bytes`)
  }
  return text
}

/** Of a host and of the commands that talk to it. */
const shared = {
  secret: inEnvironment('secret', 'ENDWELL_SECRET', {
    about: 'required from every client; without it, only this machine is admitted',
    secret: true,
    read: secret,
  }),
  data: option('data', 'ENDWELL_DATA', {
    about: 'the folder for the journal, and for what is written while the journal is away',
    value: 'folder',
    default: './endwell-data',
    read: anyText,
  }),
  databaseUrl: option('database-url', 'DATABASE_URL', {
    about:
      'a Postgres database for the journal, which several hosts may share; without it, SQLite in the data folder',
    value: 'url',
    secret: true,
    read: databaseUrl,
    show: describeDatabase,
  }),
}

/** The settings of `endwell start`. Each is an option of `serve` with the same name, except for `log` and those of a carrier. */
export const startSettings = {
  port: option('port', 'PORT', {
    about: 'the port to listen on, 0 for any',
    value: 'number',
    default: '4600',
    read: wholeNumber(0, 65_535),
  }),
  host: option('host', 'ENDWELL_HOST', {
    about: 'the address to listen on; 0.0.0.0 for all',
    value: 'address',
    default: '127.0.0.1',
    read: address,
  }),
  publicUrl: option('public-url', 'PUBLIC_URL', {
    about: 'where callers and carriers reach this host: https://phone.example.com',
    value: 'url',
    read: url,
  }),
  names: option('name', 'ENDWELL_NAMES', {
    about: 'further host names of this server, separated by commas; the option can be repeated',
    value: 'names',
    read: hostNames,
  }),
  ...shared,
  workers: option('workers', 'ENDWELL_WORKERS', {
    about: 'processes that take calls; with isolation, those that wait for the next call',
    value: 'number',
    default: '1',
    read: wholeNumber(1, 256),
  }),
  isolation: option('isolation', 'ENDWELL_ISOLATION', {
    about: 'process: every call has a process of its own, for agents that block or leak; or none',
    value: 'choice',
    default: 'none',
    read: oneOf('none', 'process'),
  }),
  maxCalls: option('max-calls', 'ENDWELL_MAX_CALLS', {
    about: 'calls at once, in all workers together; others get a busy signal',
    value: 'number',
    default: '100',
    read: wholeNumber(1, 100_000),
  }),
  dialRate: option('dial-rate', 'ENDWELL_DIAL_RATE', {
    about: 'calls out per second, in all workers together: as many as the carrier lets you make',
    value: 'number',
    default: '1',
    read: wholeNumber(1, 1_000),
  }),
  maxDials: option('max-dials', 'ENDWELL_MAX_DIALS', {
    about: 'calls out at once that nobody has answered yet, in all workers together; others wait',
    value: 'number',
    default: '10',
    read: wholeNumber(1, 10_000),
  }),
  record: option('record', 'ENDWELL_RECORD', {
    about: 'carrier: the carrier records every phone call, and reports show where; or none',
    value: 'choice',
    default: 'none',
    read: oneOf('none', 'carrier'),
  }),
  keys: option('keys', 'ENDWELL_KEYS', {
    about: 'carrier: the carrier presses telephone keys, for menus that do not hear tones; or tones',
    value: 'choice',
    default: 'tones',
    read: oneOf('tones', 'carrier'),
  }),
  memoryLimit: option('memory-limit', 'ENDWELL_MEMORY_LIMIT', {
    about: 'per worker, such as 512MB or 2GB; a worker above it is drained and replaced',
    value: 'memory',
    read: memory,
  }),
  drainTimeout: option('drain-timeout', 'ENDWELL_DRAIN_TIMEOUT', {
    about: 'how long calls may go on when the host stops, before the goodbye',
    value: 'time',
    default: '10m',
    read: time('0s', '1d'),
  }),
  closeTimeout: option('close-timeout', 'ENDWELL_CLOSE_TIMEOUT', {
    about: 'how long a session may take to close',
    value: 'time',
    default: '5s',
    read: time('100ms', '5m'),
  }),
  priceList: option('prices', 'ENDWELL_PRICES', {
    about: 'a file of JSON with prices by product, for the cost of calls; without it, the list of endwell',
    value: 'file',
    read: priceFile,
  }),
  privateHost: option('private-host', 'ENDWELL_PRIVATE_HOST', {
    about: 'the address at which other hosts reach this one',
    value: 'address',
    default: '127.0.0.1',
    read: address,
  }),
  whileAway: option('while-away', 'ENDWELL_WHILE_AWAY', {
    about: 'whether calls are taken while the journal is away: spool or refuse',
    value: 'choice',
    default: 'spool',
    read: oneOf('spool', 'refuse'),
  }),
  retention: option('retention', 'ENDWELL_RETENTION', {
    about: 'how long calls are kept in the journal',
    value: 'time',
    default: '30d',
    read: time('1h', '3650d'),
  }),
  recordings: option('recordings', 'ENDWELL_RECORDINGS', {
    about:
      'records every call to this folder, for the page to play; kept as long as calls. Tell your callers',
    value: 'folder',
    read: anyText,
  }),
  log: option('log', 'ENDWELL_LOG', {
    about: `the log level: ${logLevels.join(', ')}`,
    value: 'level',
    default: 'info',
    read: oneOf(...logLevels),
  }),
  twilioAuthToken: inEnvironment('twilio-auth-token', 'TWILIO_AUTH_TOKEN', {
    about: 'checks the signatures of Twilio; without it, only phone calls from this machine are accepted',
    secret: true,
    read: anyText,
  }),
  twilioSecondaryAuthToken: inEnvironment('twilio-secondary-auth-token', 'TWILIO_SECONDARY_AUTH_TOKEN', {
    about: 'the other auth token, while you replace one by the other: signatures with either are accepted',
    secret: true,
    read: anyText,
  }),
  twilioAccountSid: inEnvironment('twilio-account-sid', 'TWILIO_ACCOUNT_SID', {
    about: 'the account at Twilio, to call out and to hang up calls',
    read: anyText,
  }),
  twilioApi: inEnvironment('twilio-api-url', 'TWILIO_API_URL', {
    about: "the base URL of Twilio's REST API; without it, Twilio's own",
    read: url,
  }),
  telnyxApiKey: inEnvironment('telnyx-api-key', 'TELNYX_API_KEY', {
    about: 'takes calls from Telnyx instead of Twilio, and hangs them up',
    secret: true,
    read: anyText,
  }),
  telnyxPublicKey: inEnvironment('telnyx-public-key', 'TELNYX_PUBLIC_KEY', {
    about: 'checks the signatures of Telnyx; its portal shows it',
    read: anyText,
  }),
  telnyxApplication: inEnvironment('telnyx-application-id', 'TELNYX_APPLICATION_ID', {
    about: 'the TeXML application that calls out, by its id',
    read: anyText,
  }),
  telnyxApi: inEnvironment('telnyx-api-url', 'TELNYX_API_URL', {
    about: "the base URL of Telnyx's REST API; without it, Telnyx's own",
    read: url,
  }),
}

/** The settings of the commands for operators. */
export const operatorSettings = {
  url: option('url', 'ENDWELL_URL', {
    about: 'the URL of a host (default: http://127.0.0.1:4600, or the port in PORT)',
    value: 'url',
    read: url,
  }),
  ...shared,
  port: { ...startSettings.port, flag: false },
}

/** The environment variables of all settings, and those that endwell sets itself. */
export const variables: readonly string[] = [
  ...Object.values({ ...startSettings, ...operatorSettings }).map(({ variable }) => variable),
  'ENDWELL_WORKER',
  'ENDWELL_WORKER_SETTINGS',
]
