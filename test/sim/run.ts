import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { live, type Range } from './lives.ts'
import { Summary } from './summary.ts'
import { isWorld, worldNames } from './world-names.ts'

// One process of a simulation, compiled to one file. `npm run sim` starts several, and sends each the ranges to live.

if (process.send) {
  // Without a limit, V8 does not even begin to collect stacks, which nobody reads here.
  Reflect.deleteProperty(Error, 'stackTraceLimit')
  process.on('message', (range: Range) => {
    live(range).then(
      (lived) => process.send!(lived),
      (error: unknown) => {
        console.error(error)
        process.exit(exitCodes.failed)
      },
    )
  })
  process.once('disconnect', () => process.exit(exitCodes.ok))
} else {
  await runCommand({
    name: 'sim',
    summary: 'Runs random lives in this process.',
    options: {
      seeds: { type: 'number', about: 'how many seeds to run', default: 1 },
      from: { type: 'number', about: 'the first seed', default: 1 },
      world: { type: 'string', about: `what to simulate: ${worldNames.join(', ')}`, default: 'scope' },
      story: { type: 'boolean', about: 'print the story of every seed' },
      hash: { type: 'boolean', about: 'print a hash of all stories' },
      stop: { type: 'boolean', about: 'stop at the first seed that breaks a rule' },
    },
    run: async ({ seeds, from, world, story, stop, hash, json }) => {
      if (!isWorld(world)) return exitCodes.misuse
      // A closed pipe, as in `npm run sim … | head`, is not an error.
      process.stdout.on('error', () => process.exit(exitCodes.ok))
      const summary = new Summary(world, json)
      const lived = await live({ world, from, seeds, stop, hash }, (life) => {
        if (story && life.violations.length === 0)
          console.log(`seed ${life.seed} · ${life.hash}\n${life.story}\n`)
      })
      summary.add(lived)
      return summary.print(1)
    },
  })
}
