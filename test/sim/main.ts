import { simulate, type Life } from '../../src/testing/index.ts'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { worlds } from './worlds.ts'

await runCommand({
  name: 'npm run sim --',
  summary:
    'Runs random lives in virtual time and checks each of them against the rules. A seed that breaks a rule prints\n' +
    'its story and the command that replays it.',
  options: {
    seeds: { type: 'number', about: 'how many seeds to run', default: 10_000 },
    from: { type: 'number', about: 'the first seed', default: 1 },
    world: { type: 'string', about: `what to simulate: ${Object.keys(worlds).join(', ')}`, default: 'scope' },
    story: { type: 'boolean', about: 'print the story of every seed, not only of failing ones' },
    stop: { type: 'boolean', about: 'stop at the first seed that breaks a rule' },
  },
  run: async ({ seeds, from, world, story, stop, json }) => {
    const life = worlds[world]
    if (!life) {
      console.error(`Unknown world '${world}'. Use one of: ${Object.keys(worlds).join(', ')}`)
      return exitCodes.misuse
    }
    // A closed pipe, as in `npm run sim … | head`, is not an error.
    process.stdout.on('error', () => process.exit(exitCodes.ok))
    const say = json ? () => {} : console.log
    const began = performance.now()
    let lived = 0
    let violations = 0
    let events = 0
    const failing: number[] = []
    for (let seed = from; seed < from + seeds; seed++) {
      const one = await simulate(seed, life)
      lived++
      events += one.events
      violations += one.violations.length
      if (story && one.violations.length === 0) say(`seed ${seed} · ${one.hash}\n${one.story}\n`)
      if (one.violations.length > 0) {
        failing.push(seed)
        // A broken rule fails in many seeds, and three stories are enough.
        if (failing.length <= 3) say(failureText(world, one))
        if (json) console.log(JSON.stringify({ seed, hash: one.hash, violations: one.violations }))
        if (stop) break
      }
      if (!json && process.stderr.isTTY && seed % 500 === 0) process.stderr.write(`\r${lived} lives …`)
    }
    const seconds = (performance.now() - began) / 1_000
    const perSecond = Math.round(lived / seconds)
    if (json)
      console.log(
        JSON.stringify({
          world,
          seeds: lived,
          violations,
          failing: failing.slice(0, 100),
          events,
          perSecond,
        }),
      )
    else
      say(
        `${lived} lives of world '${world}', ${events} events, ${violations} violations, ${perSecond} lives per second`,
      )
    return violations === 0 ? exitCodes.ok : exitCodes.failed
  },
})

function failureText(world: string, { seed, story, violations }: Life): string {
  return [
    `seed ${seed} breaks ${[...new Set(violations.map(({ rule }) => rule))].join(', ')}`,
    '',
    story,
    '',
    ...violations.map(({ rule, what }) => `✗ ${rule}: ${what}`),
    '',
    `replay:   npm run sim -- --world ${world} --from ${seed} --seeds 1 --story`,
    `remember: add the line "${world} ${seed}" to test/sim/regressions.txt`,
    '',
  ].join('\n')
}
