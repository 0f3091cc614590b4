import { exitCodes, runCommand } from '../../../src/cli/command.ts'
import { findProgram } from './find-program.ts'
import { scrape } from './scrape.ts'

await runCommand(
  {
    name: 'npm run scrape',
    summary:
      'Lets a real Prometheus scrape a host with real calls, and compares what it says with the reports.',
    options: {
      calls: { type: 'number', about: 'how many calls', default: 20 },
    },
    run: async ({ calls, json }) => {
      const program = findProgram('prometheus')
      if (program === undefined) {
        console.log('prometheus is not installed. On Debian: apt-get install prometheus')
        console.log(JSON.stringify({ ran: false, checks: 0, failed: 0 }))
        return exitCodes.failed
      }
      const { version, checks } = await scrape(program, calls)
      if (!json) {
        console.log(version)
        for (const { what, wanted, got, ok } of checks)
          console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}: ${got}${ok ? '' : `, not ${wanted}`}`)
      }
      const failed = checks.filter(({ ok }) => !ok).length
      console.log(JSON.stringify({ ran: true, calls, checks: checks.length, failed }))
      return failed === 0 && checks.length > 0 ? exitCodes.ok : exitCodes.failed
    },
  },
  process.argv.slice(2),
)
