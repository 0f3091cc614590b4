import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { openJournal, type Journal } from '../../src/host/index.ts'
import { closes, joinAs, newCall, opens } from '../../src/testing/journal-conformance/samples.ts'
import { OwnPackages } from '../../tools/own-packages.ts'
import { startPostgres } from '../postgres/start-postgres.ts'
import type { FromWorker, ToWorker } from './messages.ts'

const packages = new OwnPackages(fileURLToPath(new URL('.', import.meta.url)))

/** What is counted in the end. */
interface Summary {
  readonly calls: number
  readonly kills: number
  /** How often handlers handed work over: twice per call, because each is killed before it can write that down. */
  readonly handOvers: number
  /** Workflows in DBOS. */
  readonly workflows: number
  /** Calls with more than one workflow, or with a workflow that did not succeed. */
  readonly wrong: readonly string[]
  readonly ok: boolean
}

await runCommand({
  name: 'npm run workflows --',
  summary:
    'Hands after-call work over to a real DBOS on a real Postgres. For each call, the process is killed between the\n' +
    'hand-over and its entry in the journal, so that the work is handed over again, and then three times more by hand:\n' +
    'there must be one workflow per call. Installs the engines into test/workflows first, and checks what the docs show\n' +
    'of the others against their types.',
  options: {
    calls: { type: 'number', about: 'how many calls', default: 5, range: [1, 100] },
  },
  async run({ calls, json }) {
    try {
      await packages.install()
      await packages.checkTypes()
    } catch (error) {
      console.error(error instanceof Error ? error.message : String(error))
      return exitCodes.failed
    }
    const given = process.env['DATABASE_URL'] ?? ''
    const server = given === '' ? await startPostgres() : undefined
    try {
      const summary = await prove(server?.url ?? given, calls)
      if (json) console.log(JSON.stringify(summary))
      else print(summary)
      return summary.ok ? exitCodes.ok : exitCodes.failed
    } finally {
      await server?.end()
    }
  },
})

async function prove(database: string, calls: number): Promise<Summary> {
  const journal = await openJournal(database)
  // Unique, because another server keeps what earlier runs left.
  const run = process.pid.toString(36)
  const ids = Array.from({ length: calls }, (_, index) => `${run}-c${index + 1}`)
  const keys: string[] = []
  try {
    await joinAs(journal, `h-${run}`)
    for (const id of ids) {
      await journal.write([opens(newCall(id, { work: ['followUp'] })), closes(id, 1)])
      const [work] = await journal.work({ call: id })
      keys.push(work!.key)
    }
    const { kills, handOvers, results } = await runWorkers(journal, database, keys, run)
    const workflows = await workflowsOf(database, keys)
    const wrong = keys.filter((key, index) => {
      const status = workflows.filter(({ id }) => id === key).map((each) => each.status)
      return status.join() !== 'SUCCESS' || results[key] !== `Thank you for calling, ${ids[index]}!`
    })
    const ok = wrong.length === 0 && kills === calls && handOvers === 2 * calls && workflows.length === calls
    return { calls, kills, handOvers, workflows: workflows.length, wrong, ok }
  } finally {
    await journal.close()
  }
}

interface Lives {
  readonly kills: number
  readonly handOvers: number
  readonly results: Readonly<Record<string, string>>
}

/** Starts a worker again whenever it was killed, until all work is done. */
async function runWorkers(
  journal: Journal,
  database: string,
  keys: readonly string[],
  run: string,
): Promise<Lives> {
  const done = new Set<string>()
  let [kills, handOvers, results] = [0, 0, {}]
  for (;;) {
    const owner = `work ${run} ${kills}`
    const signal = await runWorker({ DATABASE: database, OWNER: owner }, (message, reply) => {
      if (message.type === 'handed-over') handOvers++
      else if (message.type === 'results') results = message.results
      else if (message.outcome === 'done' && done.add(message.key).size === keys.length) reply({ keys })
    })
    if (signal === null) return { kills, handOvers, results }
    kills++
    // As a supervisor does when a worker has died.
    await journal.release(owner)
  }
}

/** Runs a worker until it ends. Resolves to the signal that ended it. */
function runWorker(
  env: Readonly<Record<string, string>>,
  receive: (message: FromWorker, reply: (answer: ToWorker) => void) => void,
): Promise<NodeJS.Signals | null> {
  const program = fileURLToPath(new URL('worker.ts', import.meta.url))
  return new Promise((resolve, reject) => {
    // DBOS uses its database in a way that its driver warns of.
    const execArgv = ['--no-deprecation', '--import', 'tsx']
    const child = fork(program, { execArgv, env: { ...process.env, ...env } })
    child.on('message', (message) => receive(message as FromWorker, (answer) => child.send(answer)))
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (code === null || code === 0) resolve(signal)
      else reject(new Error(`the worker exited with ${code}`))
    })
  })
}

interface Workflow {
  readonly id: string
  readonly status: string
}

async function workflowsOf(database: string, keys: readonly string[]): Promise<readonly Workflow[]> {
  const client = new Client({ connectionString: database })
  await client.connect()
  try {
    const query = `select workflow_uuid as id, status from dbos.workflow_status where name = 'followUp'
      and split_part(workflow_uuid, '-', 1) = $1`
    const { rows } = await client.query<Workflow>(query, [keys[0]!.split('-')[0]])
    return rows
  } finally {
    await client.end()
  }
}

function print({ calls, kills, handOvers, workflows, wrong, ok }: Summary): void {
  for (const key of wrong) console.log(`✗ ${key} has no workflow, or more than one, or one that failed`)
  const versions = ['@dbos-inc/dbos-sdk', '@temporalio/client', 'pg-boss']
  console.log(versions.map((name) => `${name} ${packages.versionOf(name)}`).join(', '))
  console.log(
    `${calls} calls, ${kills} kills, ${handOvers} hand-overs, ${workflows} workflows: ${ok ? 'ok' : 'FAILED'}`,
  )
}
