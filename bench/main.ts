import { readFileSync } from 'node:fs'

import { exitCodes, runCommand } from '../src/cli/command.ts'
import type { Bench } from './bench.ts'
import { benches } from './benches.ts'
import { runRounds } from './rounds.ts'
import { table } from './table.ts'
import { judge } from './verdict.ts'

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]

if (bench) {
  await runCommand(
    {
      name: `npm run bench -- ${name}`,
      summary: bench.summary,
      options: { rounds: { type: 'number', about: 'samples of each contestant', default: 3 } },
      run: ({ rounds, json }) => run(bench, rounds, json),
    },
    args,
  )
} else {
  const list = Object.entries(benches).map(([each, { summary }]) => `  ${each.padEnd(10)}${summary}`)
  const asked = name === '--help'
  const usage = ['Usage: npm run bench -- <bench> [options]', '', 'Benches:', ...list].join('\n')
  if (asked) console.log(usage)
  else console.error(`${name === '' ? 'Which bench?' : `There is no bench '${name}'`}\n${usage}`)
  process.exitCode = asked ? exitCodes.ok : exitCodes.misuse
}

async function run(chosen: Bench, rounds: number, json: boolean): Promise<number> {
  const medians = await runRounds(name, chosen, Math.max(1, Math.floor(rounds)), (line) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`)
  })
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
  const verdict = judge(chosen, medians)
  const versions = versionsOf(chosen)
  const outcome = { bench: name, node: process.version, versions, medians, ...verdict }
  if (json) console.log(JSON.stringify(outcome, thousandths))
  else console.log(`node ${process.version}\n${table(chosen, medians, verdict, versions)}`)
  return verdict.ok ? exitCodes.ok : exitCodes.failed
}

function versionsOf({ contestants }: Bench): Record<string, string> {
  return Object.fromEntries(
    Object.entries(contestants).flatMap(([contestant, { package: of }]) => {
      if (of === undefined) return []
      const file = new URL(`../node_modules/${of}/package.json`, import.meta.url)
      return [[contestant, (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version]]
    }),
  )
}

/** Nobody reads more digits. */
function thousandths(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value
}
