import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { OptionError, didYouMean } from '../../src/scope/index.ts'
import { runSeeds, worlds, type SeedResult, type World } from './run-seeds.ts'

await runCommand({
  name: 'npm run hostile --',
  summary:
    'Runs calls in which everything that is not endwell misbehaves at random, beside a healthy call that must not notice.\n' +
    'Nothing may crash, freeze, go silent or report an untruth.\n\n' +
    '  parts    every part, line, hook, tool, listener, logger, sink and vendor, in every method, at once and later, in\n' +
    '           virtual time\n' +
    '  sockets  carriers, pages, streams and HTTP clients that send garbage, wrong types, floods, pings and broken frames,\n' +
    '           in the wrong order, stop reading, half-close or leave, over real sockets to a real host, in real time\n' +
    '  all      both: one seed in ten uses sockets',
  options: {
    seeds: { type: 'number', about: 'how many seeds to run', default: 1_000 },
    from: { type: 'number', about: 'the first seed', default: 1 },
    world: { type: 'string', about: 'all, parts or sockets', default: 'all' },
  },
  run: async ({ seeds, from, json, world }) => {
    if (!isWorld(world))
      throw new OptionError(
        `--world must be one of ${worlds.join(', ')}, not '${world}'.${didYouMean(world, worlds)}`,
      )
    let shown = 0
    const child = new URL('child.ts', import.meta.url)
    const take = (result: SeedResult): void => {
      const { seed, violations, story } = result
      if (!json && process.stderr.isTTY && seed % 100 === 0)
        process.stderr.write(`\r${seed - from + 1} of ${seeds} …`)
      if (violations.length === 0) return
      if (json) return console.log(JSON.stringify({ seed, violations }))
      // A broken rule fails in many seeds, and three stories are enough.
      if (++shown > 3) return
      console.log(`seed ${seed}\n${story}\n`)
      for (const { rule, what } of violations) console.log(`✗ ${rule}: ${what}`)
      console.log(`replay: npm run hostile -- --from ${seed} --seeds 1 --world ${world}\n`)
    }
    const totals = await runSeeds(from, seeds, child, take, undefined, world)
    const { crashes, freezes, silent, untrue } = totals
    console.log(
      json
        ? JSON.stringify(totals)
        : `${totals.seeds} hostile calls: ${crashes} crashes, ${freezes} freezes, ${silent} silent, ${untrue} untrue`,
    )
    return crashes + freezes + silent + untrue === 0 ? exitCodes.ok : exitCodes.failed
  },
})

function isWorld(name: string): name is World {
  return (worlds as readonly string[]).includes(name)
}
