import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { exitCodes, runCommand } from '../src/cli/command.ts'
import { apiReports, folder, staleReports } from './api/reports.ts'

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
