import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { check, plainChecks, turnChecks, type Check } from './checks.ts'
import { Coturn } from './coturn.ts'

await runCommand(
  {
    name: 'npm run turn --',
    summary:
      'Makes calls over WebRTC through a real coturn on this machine, with credentials that expire, and over IPv6. Needs the\n' +
      'Debian package coturn; what needs it is counted as not run if it is not installed.',
    options: {},
    run: async ({ json }) => {
      const checks: Check[] = []
      const add = async (what: string, run: () => Promise<void>): Promise<void> => {
        const done = await check(what, run)
        checks.push(done)
        const { problem } = done
        if (!json)
          console.log(
            `  ${problem === undefined ? 'ok  ' : 'FAIL'} ${what}${problem === undefined ? '' : `: ${problem}`}`,
          )
      }
      for (const [what, run] of Object.entries(plainChecks)) await add(what, run)
      const version = Coturn.version()
      if (version === undefined) {
        if (!json)
          console.log('TURN: not run, because coturn is not installed. On Debian: apt-get install coturn')
      } else {
        if (!json) console.log(`coturn ${version}`)
        await using coturn = await Coturn.start()
        for (const [what, run] of Object.entries(turnChecks)) await add(what, () => run(coturn))
      }
      const failures = checks.filter(({ problem }) => problem !== undefined)
      const notRun = version === undefined ? Object.keys(turnChecks).length : 0
      console.log(
        JSON.stringify({
          checks: checks.length,
          notRun,
          failed: failures.length,
          ...(json ? { failures } : {}),
        }),
      )
      return failures.length + notRun === 0 ? exitCodes.ok : exitCodes.failed
    },
  },
  process.argv.slice(2),
)
