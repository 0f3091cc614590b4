import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The page as it is shipped; its calls go to the test, unless they are real. Returns its folder, and the way to remove it. */
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
              name: 'calls go to the test',
              enforce: 'pre',
              resolveId: (source: string) =>
                source.endsWith('/calls.ts') ? here('fake-calls.ts') : undefined,
            },
          ],
  })
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
