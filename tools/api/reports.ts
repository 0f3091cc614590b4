import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { reportOf } from './surface.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Where the reports are committed. */
export const folder = join(root, 'api')

export interface EntryPoint {
  /** As it is imported: `endwell/client`. */
  readonly entry: string
  /** The path of its built declarations. */
  readonly types: string
}

/** The entry points of the package. */
export function entryPoints(): EntryPoint[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types?: string }>
  }
  return Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === 'string' || target.types === undefined) return []
    const entry = subpath === '.' ? 'endwell' : `endwell/${subpath.slice(2)}`
    return [{ entry, types: join(root, target.types) }]
  })
}

/** Generates the reports of the built package, by file name. */
export function apiReports(): Map<string, string> {
  return new Map(
    entryPoints().map(({ entry, types }) => [`${entry.replaceAll('/', '-')}.txt`, reportOf(entry, types)]),
  )
}

/** The files whose committed report differs from what the package exports now. */
export function staleReports(reports: ReadonlyMap<string, string>): string[] {
  const committed = existsSync(folder) ? readdirSync(folder) : []
  const changed = [...reports].filter(([file, text]) => {
    const path = join(folder, file)
    return !existsSync(path) || readFileSync(path, 'utf8') !== text
  })
  return [...changed.map(([file]) => file), ...committed.filter((file) => !reports.has(file))]
}
