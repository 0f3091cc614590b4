import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { runSeeds } from './run-seeds.ts'

await runCommand({
  name: 'npm run hostile --',
  summary:
    'Runs calls in which every part, line, hook, tool, listener, logger and sink misbehaves at random, in every method, at\n' +
    'once and later, beside a healthy call that must not notice. Nothing may crash, freeze, go silent or report an untruth.',
  options: {
    seeds: { type: 'number', about: 'how many seeds to run', default: 1_000 },
    from: { type: 'number', about: 'the first seed', default: 1 },
  },
  run: async ({ seeds, from, json }) => {
    let shown = 0
    const totals = await runSeeds(from, seeds, new URL('child.ts', import.meta.url), (result) => {
      const { seed, violations, story } = result
      if (!json && process.stderr.isTTY && seed % 100 === 0)
        process.stderr.write(`\r${seed - from + 1} of ${seeds} …`)
      if (violations.length === 0) return
      if (json) return console.log(JSON.stringify({ seed, violations }))
      // A broken rule fails in many seeds, and three stories are enough.
      if (++shown > 3) return
      console.log(`seed ${seed}\n${story}\n`)
      for (const { rule, what } of violations) console.log(`✗ ${rule}: ${what}`)
      console.log(`replay: npm run hostile -- --from ${seed} --seeds 1\n`)
    })
    const { crashes, freezes, silent, untrue } = totals
    console.log(
      json
        ? JSON.stringify(totals)
        : `${totals.seeds} hostile calls: ${crashes} crashes, ${freezes} freezes, ${silent} silent, ${untrue} untrue`,
    )
    return crashes + freezes + silent + untrue === 0 ? exitCodes.ok : exitCodes.failed
  },
})
