import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds pages of the repository, for a `PageServer`. Returns all of their files by path. */
export async function buildPages(pages: string[]): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-pages-'))
  try {
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      build: { outDir: folder, rolldownOptions: { input: pages } },
    })
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
