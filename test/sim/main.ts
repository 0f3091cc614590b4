import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { root } from '../compile.ts'
import { compileSim } from './compile-sim.ts'
import { liveInJobs } from './jobs.ts'
import type { Range } from './lives.ts'
import { Summary } from './summary.ts'
import { isWorld, worldNames } from './world-names.ts'

await runCommand({
  name: 'npm run sim --',
  summary:
    'Runs random lives in virtual time and checks each of them against the rules. A seed that breaks a rule prints\n' +
    'its story and the command that replays it.',
  options: {
    seeds: { type: 'number', about: 'how many seeds to run', default: 10_000 },
    from: { type: 'number', about: 'the first seed', default: 1 },
    world: { type: 'string', about: `what to simulate: ${worldNames.join(', ')}`, default: 'scope' },
    story: { type: 'boolean', about: 'print the story of every seed, not only of failing ones' },
    stop: { type: 'boolean', about: 'stop at the first seed that breaks a rule' },
    hash: {
      type: 'boolean',
      about: 'print a hash of all stories, the same for the same seeds on every machine',
    },
    jobs: {
      type: 'number',
      about: 'how many processes live at once, by default one per core',
      range: [1, 1_000],
    },
    progress: {
      type: 'string',
      value: 'file',
      about: 'where to write how far it is, to continue with --from',
    },
  },
  run: async ({ seeds, from, world, story, stop, hash, jobs = availableParallelism(), progress, json }) => {
    if (!isWorld(world)) {
      console.error(`Unknown world '${world}'. Use one of: ${worldNames.join(', ')}`)
      return exitCodes.misuse
    }
    // A closed pipe, as in `npm run sim … | head`, is not an error.
    process.stdout.on('error', () => process.exit(exitCodes.ok))
    const cache = join(root, 'node_modules', '.cache')
    mkdirSync(cache, { recursive: true })
    const folder = mkdtempSync(join(cache, 'sim-'))
    try {
      const program = await compileSim(world, folder)
      if (story) return tellStories(program, { world, from, seeds, stop, hash })
      const summary = new Summary(world, json)
      await liveInJobs(program, { world, from, seeds, stop, hash }, jobs, (part, below) => {
        summary.add(part)
        const { lives, failing, perCpuSecond } = summary
        if (progress !== undefined)
          writeFileSync(
            progress,
            `${JSON.stringify({ world, from, next: below, lives, failing, perCpuSecond })}\n`,
          )
        if (!json && process.stderr.isTTY) process.stderr.write(`\r${lives} lives …`)
      })
      return summary.print(jobs)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
})

/** Lives in one process, which prints stories in the order of their seeds, and with the stacks of errors. */
function tellStories(program: string, { world, from, seeds, stop, hash }: Range): number {
  const args = ['--world', world, '--from', String(from), '--seeds', String(seeds), '--story']
  if (stop) args.push('--stop')
  if (hash) args.push('--hash')
  return spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' }).status ?? exitCodes.failed
}
