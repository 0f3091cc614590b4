import type pg from 'pg'
import { OptionError, noop, systemClock } from '../../../scope/index.ts'
import { JournalDriverError, JournalUnavailableError } from '../errors.ts'
import type { Wake, WakeListener } from '../journal.ts'
import {
  inDialect,
  number,
  storable,
  type Database,
  type Query,
  type Row,
  type Value,
  type Words,
} from '../sql/database.ts'
import type { VersionStore } from '../sql/schema.ts'
import { describeUrl, failure, isConflict } from './failure.ts'
import { Listener } from './listener.ts'

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`. */
  readonly url: string
  /** The schema of the tables. Created if it does not exist. Default: `endwell`. */
  readonly schema?: string
  /** How many connections are open at most, beside the one for notifications. Default: 4. */
  readonly connections?: number
  /** How long to wait for a connection, in milliseconds. Default: 5 s. */
  readonly connectTimeout?: number
  /** How long a statement may take, in milliseconds. Default: 10 s. */
  readonly statementTimeout?: number
  /** What the database shows as the name of the client. Default: `endwell`. */
  readonly applicationName?: string
}

type Client = pg.PoolClient
type Values = readonly (Value | undefined)[]

/** How often a transaction is tried that conflicts with others. */
const ATTEMPTS = 5
/** How long a transaction may wait for its next statement. */
const IDLE_TIMEOUT = 10_000
/** How long the end of all connections may take. */
const CLOSE_TIMEOUT = 5_000

/** A Postgres database, with a few connections. Keeps no state in a session, so that it works behind PgBouncer. */
export class PostgresDatabase implements Database {
  readonly where: string
  readonly words: Words
  readonly #pool: pg.Pool
  readonly #begin: string
  readonly #channel: string
  readonly #listener: Listener
  /** Notifications that are being sent: true if the same has to be sent once more. */
  readonly #notifying = new Map<string, boolean>()
  #closed: Promise<void> | undefined

  private constructor(driver: typeof pg, options: PostgresOptions) {
    const { url, schema = 'endwell', connections = 4, statementTimeout = 10_000 } = options
    this.where = describeUrl(url)
    this.words = wordsFor(schema)
    this.#begin =
      `begin; set local statement_timeout = ${Math.round(statementTimeout)}; ` +
      // A host that froze in the middle of a transaction must not hold its locks.
      `set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT}`
    const config = clientConfig(driver, options, statementTimeout)
    this.#pool = new driver.Pool({ ...config, max: connections })
    // Without listeners, a connection that breaks would end the process. The next request sees that it is gone.
    this.#pool.on('error', noop)
    this.#pool.on('connect', (client) => void client.on('error', noop))
    this.#channel = `${schema}_wake`
    this.#listener = new Listener(quoted(this.#channel), () => new driver.Client(config))
  }

  static async open(options: PostgresOptions): Promise<PostgresDatabase> {
    const { schema = 'endwell', url } = options
    if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema))
      throw new OptionError(`the schema of the journal must be a name in lower case; it is '${schema}'`)
    try {
      return new PostgresDatabase(await loadDriver(), options)
    } catch (error) {
      if (error instanceof JournalDriverError) throw error
      // The driver's error may contain the whole address.
      throw new OptionError(
        `the address of the journal is not valid: ${describeUrl(url)}. ` +
          'It looks like postgres://user:password@host:5432/database',
      )
    }
  }

  readonly query: Query = async (sql, ...values) => {
    const client = await this.#connect()
    try {
      const rows = await this.#run(client, sql, values)
      client.release()
      return rows
    } catch (error) {
      client.release(error instanceof JournalUnavailableError)
      throw error
    }
  }

  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#attempt(work)
      } catch (error) {
        if (attempt === ATTEMPTS || !isConflict(error)) throw error
      }
  }

  async #attempt<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    try {
      await this.#run(client, this.#begin)
      const result = await work((sql, ...values) => this.#run(client, sql, values))
      await this.#run(client, 'commit')
      client.release()
      return result
    } catch (error) {
      await this.#rollBack(client, error)
      throw error
    }
  }

  /** Returns the connection to the pool, or closes it if it may be broken. */
  async #rollBack(client: Client, error: unknown): Promise<void> {
    if (error instanceof JournalUnavailableError && !isConflict(error)) return client.release(true)
    const rolledBack = await this.#run(client, 'rollback').then(
      () => true,
      () => false,
    )
    return client.release(!rolledBack)
  }

  async #connect(): Promise<Client> {
    if (this.#closed) throw new JournalUnavailableError(this.where, 'it is closed')
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw failure(this.where, error)
    }
  }

  async #run(client: Client, sql: string, values: Values = []): Promise<readonly Row[]> {
    try {
      const text = inDialect(sql, this.words)
      const { rows } = await client.query<Row>(
        // Without values, the text may have several statements.
        values.length > 0 ? { text, values: values.map(storable) } : { text },
      )
      return rows
    } catch (error) {
      throw failure(this.where, error)
    }
  }

  /** Notifies all hosts. Best effort, and outside of the transaction: a commit that notifies waits for all others. */
  wake(what: Wake, host?: string): void {
    const payload = host === undefined ? what : `${what} ${host}`
    if (this.#notifying.has(payload)) this.#notifying.set(payload, true)
    else this.#notify(payload).catch(noop)
  }

  wakeHere(what: Wake): void {
    this.#listener.notify(what)
  }

  async #notify(payload: string): Promise<void> {
    try {
      do {
        this.#notifying.set(payload, false)
        await this.query('select pg_notify($1, $2)', this.#channel, payload)
      } while (this.#notifying.get(payload) === true)
    } finally {
      this.#notifying.delete(payload)
    }
  }

  onWake(listener: WakeListener): () => void {
    return this.#listener.add(listener)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  /** Waits for the requests that are running, which are bounded, and not for ever for a server that does not answer. */
  #close(): Promise<void> {
    this.#listener.close()
    return new Promise((resolve) => {
      const timer = systemClock.after(CLOSE_TIMEOUT, 'close the journal', resolve)
      const ended = (): void => {
        timer.clear()
        resolve()
      }
      this.#pool.end().then(ended, ended)
    })
  }
}

const quoted = (name: string): string => `"${name}"`

const wordsFor = (schema: string): Words => ({
  schema: `${quoted(schema)}.`,
  now: '(extract(epoch from statement_timestamp()) * 1000)::bigint',
  lock: 'for update',
  lockFree: 'for update skip locked',
  list: (value) => `(select json_array_elements_text(${value}::json))`,
  // Postgres cannot read JSON with a NUL character or half a surrogate pair in it, and a query must not fail because of one call.
  field: (path) =>
    `case when summary !~ '\\\\u(0000|d[89a-f])' then summary::json #>> '{${path.join(',')}}' end`,
})

function clientConfig(driver: typeof pg, options: PostgresOptions, statementTimeout: number): pg.PoolConfig {
  const { url, connectTimeout = 5_000, applicationName = 'endwell' } = options
  const BIGINT = 20
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeout,
    // Longer than the server's own timeout, for a server that does not answer at all.
    query_timeout: statementTimeout + 1_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: applicationName,
    types: {
      getTypeParser: ((type: number, format?: 'text') =>
        type === BIGINT
          ? Number
          : driver.types.getTypeParser(type, format)) as typeof driver.types.getTypeParser,
    },
  }
}

async function loadDriver(): Promise<typeof pg> {
  try {
    return (await import('pg')).default
  } catch (error) {
    throw new JournalDriverError('pg', 'the journal in Postgres needs a driver', error)
  }
}

/** Which version the tables in a schema have. Upgrades wait for each other. */
export const postgresVersion = (schema = 'endwell'): VersionStore => ({
  async read(query) {
    const [row] = await query('select to_regclass($1) is not null as found', `${quoted(schema)}.tables`)
    if (!row?.['found']) return 0
    const [tables] = await query('select version from {tables}')
    return tables ? number(tables, 'version') : 0
  },
  async begin(query) {
    await query('select pg_advisory_xact_lock(hashtext($1))', `endwell tables in ${schema}`)
    const known = await query('select 1 as found from pg_namespace where nspname = $1', schema)
    // Not `if not exists` alone: that needs the right to create schemas even if there is nothing to create.
    if (known.length === 0) await query(`create schema ${quoted(schema)}`)
  },
})
