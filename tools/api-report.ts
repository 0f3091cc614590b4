import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { exitCodes, runCommand } from '../src/cli/command.ts'
import { reportOf } from './api/surface.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'api')

/** The reports as the built package gives them: file name and text. */
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

/** The committed reports that are not what the package exports now. */
export function staleReports(reports: ReadonlyMap<string, string>): string[] {
  const committed = existsSync(folder) ? readdirSync(folder) : []
  const changed = [...reports].filter(([file, text]) => {
    const path = join(folder, file)
    return !existsSync(path) || readFileSync(path, 'utf8') !== text
  })
  return [...changed.map(([file]) => file), ...committed.filter((file) => !reports.has(file))]
}

await runCommand({
  name: 'npm run api --',
  summary:
    'Writes the API report: every public name with its signature, one file per entry point. Build first.',
  options: { check: { type: 'boolean', about: 'write nothing; fail if a report is out of date' } },
  run: async ({ check, json }) => {
    const reports = apiReports()
    const stale = staleReports(reports)
    if (!check) {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      for (const [file, text] of reports) writeFileSync(join(folder, file), text)
    }
    const names = [...reports.values()].reduce(
      (sum, text) => sum + Number(/: (\d+) names/.exec(text)?.[1]),
      0,
    )
    if (json) console.log(JSON.stringify({ entries: reports.size, names, stale }))
    else {
      for (const file of stale) console.log(check ? `out of date: api/${file}` : `wrote api/${file}`)
      console.log(`${reports.size} entry points, ${names} names, ${stale.length} reports changed`)
      if (check && stale.length > 0)
        console.log('run `npm run build && npm run api`, and review the difference')
    }
    return check && stale.length > 0 ? exitCodes.failed : exitCodes.ok
  },
})
