import { readFileSync } from 'node:fs'

import { exitCodes, runCommand } from '../src/cli/command.ts'
import type { Bench } from './bench.ts'
import { benches } from './benches.ts'
import { capacity } from './capacity/command.ts'
import { growth } from './growth/command.ts'
import { mediansOf, runRounds } from './rounds.ts'
import { thousandths } from './thousandths.ts'
import { table } from './table.ts'
import { judge } from './verdict.ts'

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]

if (bench) {
  const { summary, extras = {} } = bench
  const flags = Object.entries(extras).map(([extra, about]) => [extra, { type: 'boolean', about }] as const)
  await runCommand(
    {
      name: `npm run bench -- ${name}`,
      summary,
      options: {
        rounds: { type: 'number', about: 'how many samples to take of each contestant', default: 3 },
        ...Object.fromEntries(flags),
      },
      run: ({ rounds, json, ...rest }) => {
        const asked = Object.keys(extras).filter((extra) => Reflect.get(rest, extra) === true)
        return run(bench, rounds, asked, json)
      },
    },
    args,
  )
} else if (name === 'growth') {
  await runCommand(growth, args)
} else if (name === 'capacity') {
  await runCommand(capacity, args)
} else {
  const all: readonly (readonly [string, { readonly summary: string }])[] = Object.entries({
    ...benches,
    capacity,
    growth,
  })
  const list = all
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([each, { summary }]) => `  ${each.padEnd(10)}${summary}`)
  const asked = name === '--help'
  const usage = ['Usage: npm run bench -- <bench> [options]', '', 'Benches:', ...list].join('\n')
  if (asked) console.log(usage)
  else console.error(`${name === '' ? 'Which bench?' : `There is no bench '${name}'`}\n${usage}`)
  process.exitCode = asked ? exitCodes.ok : exitCodes.misuse
}

async function run(whole: Bench, rounds: number, extras: readonly string[], json: boolean): Promise<number> {
  const samples = await runRounds(name, whole, Math.max(1, Math.floor(rounds)), extras, (line) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`)
  })
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
  const chosen = withExtras(whole, extras)
  const medians = mediansOf(samples)
  const verdict = judge(chosen, samples)
  const versions = versionsOf(chosen)
  const outcome = { bench: name, node: process.version, versions, medians, ...verdict }
  if (json) console.log(JSON.stringify(outcome, thousandths))
  else console.log(`node ${process.version}\n${table(chosen, medians, verdict, versions)}`)
  return verdict.ok ? exitCodes.ok : exitCodes.failed
}

/** Leaves out the figures and marks of extras that were not requested. */
function withExtras({ figures, marks, ...rest }: Bench, extras: readonly string[]): Bench {
  const asked = Object.entries(figures).filter(
    ([, { extra }]) => extra === undefined || extras.includes(extra),
  )
  const names = new Set(asked.map(([figure]) => figure))
  return {
    ...rest,
    figures: Object.fromEntries(asked),
    marks: marks.filter(({ figure }) => names.has(figure)),
  }
}

function versionsOf({ contestants, packages = '..' }: Bench): Record<string, string> {
  return Object.fromEntries(
    Object.entries(contestants).flatMap(([contestant, { package: of }]) => {
      if (of === undefined) return []
      const file = new URL(`${packages}/node_modules/${of}/package.json`, import.meta.url)
      return [[contestant, (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version]]
    }),
  )
}
