import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { OwnPackages } from '../../tools/own-packages.ts'
import { columns, type Column, type Run } from './case.ts'
import { frameworks, type Framework } from './frameworks.ts'
import type { CaseInfo } from './messages.ts'
import { page } from './page.ts'
import { PATIENCE, listCases, runCase } from './run-case.ts'
import { table } from './table.ts'
import { problemsOf, summaryOf, type Row } from './verdict.ts'

/** About 600 MB. */
const packages = new OwnPackages(fileURLToPath(new URL('.', import.meta.url)))

await runCommand({
  name: 'npm run peers --',
  summary:
    'Closes sessions of other frameworks while something misbehaves: as they are, with the guard, and the same with a\n' +
    'session of endwell. Each run has its own process, and connections are counted at the far side. Installs the\n' +
    'frameworks into bench/peers first.',
  options: {
    only: {
      type: 'string',
      about: `run only this framework: ${frameworks.map(({ name }) => name).join(', ')}`,
    },
    filter: { type: 'string', about: 'run only cases whose name contains this text', default: '' },
    short: { type: 'boolean', about: 'run only a few cases of each framework' },
    html: { type: 'string', about: 'write the table to this file as HTML' },
    'at-once': { type: 'number', about: 'how many processes run at once; they mostly wait', default: 4 },
  },
  run: async ({ only, filter, short, html, json, 'at-once': atOnce }) => {
    const chosen = frameworks.filter(({ name }) => only === undefined || name === only)
    if (chosen.length === 0) {
      console.error(`There is no framework '${only}'`)
      return exitCodes.misuse
    }
    const say = (text: string): void => void process.stderr.write(`${text}\n`)
    try {
      await packages.install()
      await packages.checkTypes()
    } catch (error) {
      say(error instanceof Error ? error.message : String(error))
      return exitCodes.failed
    }
    const versions = versionsOf(chosen)
    const listed = await Promise.all(
      chosen.map(async (framework) => ({ framework, cases: await listCases(framework) })),
    )
    const rows = listed.flatMap(({ framework, cases }) =>
      cases
        .filter((one) => one.name.includes(filter) && (!short || one.short === true))
        .map((one): MutableRow => ({ framework, case: one, runs: {} })),
    )
    await runAll(rows, atOnce, (text) => say(text))
    if (html !== undefined) await writeFile(html, page(rows, versions))
    const failed = rows.filter((row) => problemsOf(row).length > 0)
    const summary = summaryOf(rows)
    if (json) {
      console.log(JSON.stringify({ versions, patience: PATIENCE }))
      for (const row of rows) console.log(JSON.stringify(asJson(row)))
      console.log(JSON.stringify(summary))
    } else {
      console.log(table(rows))
      for (const row of failed) console.log(`\n✗ ${row.case.name}\n  ${problemsOf(row).join('\n  ')}`)
      console.log(
        `\n${Object.entries(versions)
          .map(([name, version]) => `${name} ${version}`)
          .join(', ')}`,
      )
      const { cases, plain, guarded, ours } = summary
      console.log(
        `${cases} cases, ${failed.length} failed; theirs: ${plain.hung} hang, ${plain.socketsLeft} sockets left; guarded: ` +
          `${guarded.hung} hang, ${guarded.socketsLeft} left; ours: ${ours.hung} hang, ${ours.socketsLeft} left`,
      )
    }
    return failed.length === 0 ? exitCodes.ok : exitCodes.failed
  },
})

interface MutableRow extends Row {
  readonly runs: Partial<Record<Column, Run | Error>>
}

/** Runs every case in every column, several at once. The plain column comes first, because it takes longest. */
async function runAll(
  rows: readonly MutableRow[],
  atOnce: number,
  say: (text: string) => void,
): Promise<void> {
  const waiting = columns.flatMap((column) => rows.map((row) => ({ row, column })))
  const all = waiting.length
  let done = 0
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { row, column } = next
      row.runs[column] = await attempt(row.framework, row.case, column)
      done++
      say(`${done}/${all} ${row.framework.name} ${row.case.name}: ${column}`)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, work))
}

async function attempt(framework: Framework, one: CaseInfo, column: Column): Promise<Run | Error> {
  try {
    return await runCase(framework, one, column)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function versionsOf(chosen: readonly Framework[]): Record<string, string> {
  const names = chosen.flatMap((framework) => framework.packages)
  return Object.fromEntries([
    ['node', process.versions.node],
    ...names.map((name) => [name, packages.versionOf(name)]),
  ])
}

/** A row as JSON, with errors as their messages. */
function asJson(row: Row): object {
  const runs = columns.map((column) => {
    const run = row.runs[column]
    return [column, run instanceof Error ? { error: run.message } : run]
  })
  const { name, about, shows, unfair, ourFault } = row.case
  return {
    framework: row.framework.name,
    case: name,
    about,
    shows,
    ...(unfair === undefined ? {} : { unfair }),
    ...(ourFault === undefined ? {} : { ourFault }),
    ...Object.fromEntries(runs),
    problems: problemsOf(row),
  }
}
