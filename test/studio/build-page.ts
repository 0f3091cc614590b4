import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Builds the page with fake calls, whose other side is the test, into a temporary folder. Returns the folder. */
export async function buildPage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-studio-'))
  await build({
    configFile: here('../../studio/vite.config.ts'),
    logLevel: 'error',
    build: { outDir: folder },
    plugins: [
      {
        name: 'fake calls',
        enforce: 'pre',
        resolveId: (source: string) => (source.endsWith('/calls.ts') ? here('fake-calls.ts') : undefined),
      },
    ],
  })
  return folder
}
