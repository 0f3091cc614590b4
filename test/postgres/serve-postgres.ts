import { oncePerRun } from '../once-per-run.ts'
import { serveOnDemand } from '../serve-on-demand.ts'
import { startPostgres, type PostgresServer } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the URL of the database, and starts it if needed. */
    readonly postgres: string
  }
}

/** Starts one Postgres server per run of the tests, when the first test asks for it. */
export default oncePerRun(async ({ provide }) => {
  let server: PostgresServer | undefined
  const { url, close } = await serveOnDemand(async () => {
    server = await startPostgres()
    return server.url
  })
  provide('postgres', url)
  return async () => {
    await close()
    await server?.end()
  }
})
