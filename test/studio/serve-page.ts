import { rm } from 'node:fs/promises'
import { oncePerRun } from '../once-per-run.ts'
import { serveOnDemand } from '../serve-on-demand.ts'
import { buildPage } from './build-page.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the folder of the page with fake calls, and builds it if needed. */
    readonly studio: string
  }
}

/** Builds the page once per run of the tests, when the first test asks for it. */
export default oncePerRun(async ({ provide }) => {
  const { url, close } = await serveOnDemand(buildPage)
  provide('studio', url)
  return async () => {
    const folder = await close()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
})
