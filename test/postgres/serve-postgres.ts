import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startPostgres, type PostgresServer } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the URL of the database, and starts it if needed. */
    readonly postgres: string
  }
}

/** Starts one Postgres server per run of the tests, when the first test asks for it. */
export default async function servePostgres({ provide }: TestProject): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | undefined
  const asked = createServer((_, response) => {
    started ??= startPostgres()
    started.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  asked.listen(0, '127.0.0.1')
  await once(asked, 'listening')
  provide('postgres', `http://127.0.0.1:${(asked.address() as AddressInfo).port}`)
  return async () => {
    asked.close()
    asked.closeAllConnections()
    await started?.then(
      (server) => server.end(),
      () => {},
    )
  }
}
