import { Client } from 'pg'
import { inject } from 'vitest'
import { askFor } from '../serve-on-demand.ts'

/** The URL of a Postgres server for tests: `DATABASE_URL` if set, otherwise one that this run of the tests has started. */
export async function databaseUrl(): Promise<string> {
  const { DATABASE_URL: given } = process.env
  if (given !== undefined && given !== '') return given
  return askFor(inject('postgres'))
}

/** A database that no other test uses. */
export async function newDatabase(
  name: string,
): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  const server = await databaseUrl()
  const database = `${name}_${process.pid}`
  await runSql(server, `create database ${database}`)
  const url = new URL(server)
  url.pathname = `/${database}`
  const drop = async (): Promise<void> =>
    void (await runSql(server, `drop database ${database} with (force)`))
  return { url: url.href, drop }
}

let schemas = 0

/** The name of a schema that no other test uses. */
export const newSchema = (): string => `test_${process.pid}_${(schemas += 1)}`

/** Runs statements on a connection of their own. Returns the rows of the last. */
export async function runSql(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement))
    return rows
  } finally {
    await client.end()
  }
}

export const dropSchema = (url: string, schema: string): Promise<unknown> =>
  runSql(url, `set client_min_messages = error`, `drop schema if exists "${schema}" cascade`)
