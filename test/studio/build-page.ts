import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Builds the page into a temporary folder. With fake calls, which are the default, the test is the other side. */
export async function buildPage({ calls = 'fake' }: { readonly calls?: 'fake' | 'real' } = {}): Promise<{
  readonly folder: string
  readonly remove: () => void
}> {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-studio-'))
  await build({
    configFile: here('../../studio/vite.config.ts'),
    logLevel: 'error',
    build: { outDir: folder },
    plugins:
      calls === 'real'
        ? []
        : [
            {
              name: 'fake calls',
              enforce: 'pre',
              resolveId: (source: string) =>
                source.endsWith('/calls.ts') ? here('fake-calls.ts') : undefined,
            },
          ],
  })
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
