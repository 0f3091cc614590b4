import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { reportOf } from './surface.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Where the reports are committed. */
export const folder = join(root, 'api')

/** Generates the reports of the built package, by file name. */
export function apiReports(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types?: string }>
  }
  const reports = new Map<string, string>()
  for (const [subpath, target] of Object.entries(exports)) {
    if (typeof target === 'string' || target.types === undefined) continue
    const entry = subpath === '.' ? 'endwell' : `endwell/${subpath.slice(2)}`
    reports.set(`${entry.replaceAll('/', '-')}.txt`, reportOf(entry, join(root, target.types)))
  }
  return reports
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
