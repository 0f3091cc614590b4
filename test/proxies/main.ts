import { existsSync } from 'node:fs'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import type { Check } from './checks.ts'
import { files, type ProxyName } from './configurations.ts'
import { findProxy, versionOf } from './proxy.ts'
import { runProxy } from './run.ts'

const names = Object.keys(files) as ProxyName[]

await runCommand(
  {
    name: 'npm run proxies --',
    summary:
      'Starts a real nginx and a real Caddy, with their files of deploy/, in front of a real `endwell start`, and checks\n' +
      'what gets through: the page, calls, event streams, the phone, and a drain. Needs `npm run build`.',
    options: {
      only: { type: 'string', about: `one proxy: ${names.join(' or ')}` },
    },
    run: async ({ only, json }) => {
      if (only !== undefined && !names.some((name) => name === only)) {
        console.error(`--only must be ${names.join(' or ')}, not '${only}'`)
        return exitCodes.misuse
      }
      if (!existsSync(new URL('../../dist/cli/main.js', import.meta.url))) {
        console.error('dist is missing: npm run build')
        return exitCodes.failed
      }
      const print = ({ what, ok, found }: Check): void => {
        if (!json) console.log(`  ${ok ? 'ok  ' : 'FAIL'} ${what}${ok ? '' : `: ${found}`}`)
      }
      const checks: Check[] = []
      const notRun: ProxyName[] = []
      for (const name of names.filter((each) => only === undefined || each === only)) {
        const program = findProxy(name)
        if (program === undefined) {
          notRun.push(name)
          if (!json)
            console.log(`${name}: not run, because it is not installed. On Debian: apt-get install ${name}`)
          continue
        }
        if (!json) console.log(`${versionOf(name, program)}, ${files[name]}`)
        checks.push(...(await runProxy(name, program, print)))
      }
      const failures = checks.filter(({ ok }) => !ok)
      const run = [...new Set(checks.map(({ proxy }) => proxy))]
      console.log(
        JSON.stringify({
          run,
          notRun,
          checks: checks.length,
          failed: failures.length,
          ...(json ? { failures } : {}),
        }),
      )
      return failures.length === 0 && notRun.length === 0 ? exitCodes.ok : exitCodes.failed
    },
  },
  process.argv.slice(2),
)
