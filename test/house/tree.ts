import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A file of the repository: its path below the root, with forward slashes, and its text. */
export interface Source {
  readonly path: string
  readonly text: string
}

export const root = fileURLToPath(new URL('../..', import.meta.url))

const ignored = new Set(['node_modules', 'dist', 'coverage', 'artifacts', '.git'])

/** Paths of all files below a folder of the repository, or of the whole repository. */
export function paths(below = '', under = root): string[] {
  const found: string[] = []
  const folders = [below]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(under + folder, { withFileTypes: true })) {
      if (ignored.has(entry.name)) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) found.push(path)
    }
  }
  return found.toSorted()
}

export const read = (path: string): string => readFileSync(root + path, 'utf8')

/** The fields of package.json that the checks read. */
export interface Manifest {
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export const manifest: Manifest = JSON.parse(read('package.json'))

/** The files of the repository whose path matches. */
export function sources(pattern: RegExp): Source[] {
  return paths()
    .filter((path) => pattern.test(path))
    .map((path) => ({ path, text: read(path) }))
}

export const typescript = /\.[cm]?tsx?$/
