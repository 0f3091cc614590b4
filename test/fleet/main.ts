import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { simulate } from '../../src/testing/index.ts'
import { measure } from './measure.ts'
import { scenarios, type ScenarioResult } from './scenarios.ts'

await runCommand({
  name: 'npm run fleet --',
  summary:
    'Simulates a large fleet in virtual time: the real machines of every host, on a model of their Postgres with the\n' +
    'costs that were measured on a real one. Fails if a call is lost, or a host that lives is taken for dead.',
  options: {
    hosts: { type: 'number', about: 'how many hosts', default: 1_000, range: [10, 10_000] },
    calls: { type: 'number', about: 'how many calls at once', default: 300_000, range: [10, 3_000_000] },
    cores: { type: 'number', about: 'cores of the Postgres', default: 16, range: [1, 256] },
    only: { type: 'string', about: `one scenario: ${Object.keys(scenarios).join(', ')}`, default: '' },
    measure: {
      type: 'boolean',
      about: 'measure what requests cost on a real Postgres instead (Linux, minutes)',
    },
  },
  run: async ({ hosts, calls, cores, only, measure: measures, json }) => {
    const say = json ? (): void => {} : (line: string): void => console.log(line)
    const note = (line: string): void => {
      if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`)
    }
    if (measures) {
      const results = await measure(hosts, calls, note)
      note('')
      if (json) console.log(JSON.stringify(results))
      for (const { name, cpu, latency } of results)
        say(`${name.padEnd(16)}${cpu.toFixed(2).padStart(8)} ms CPU${latency.toFixed(1).padStart(9)} ms`)
      return exitCodes.ok
    }
    const chosen = Object.entries(scenarios).filter(([name]) => only === '' || name === only)
    if (chosen.length === 0) {
      console.error(`Unknown scenario '${only}'. Use one of: ${Object.keys(scenarios).join(', ')}`)
      return exitCodes.misuse
    }
    say(`${hosts} hosts, ${calls} calls, a Postgres with ${cores} cores`)
    const results = new Map<string, ScenarioResult>()
    for (const [name, scenario] of chosen) {
      note(`${name} …`)
      const began = performance.now()
      const { violations } = await simulate(
        1,
        async (world) => void results.set(name, await scenario(world, { hosts, calls, cores })),
        { maxEvents: Infinity },
      )
      note('')
      const result = results.get(name)
      if (!result || violations.length > 0) {
        console.error(`${name}: ${violations.map(({ rule, what }) => `${rule}: ${what}`).join('\n')}`)
        return exitCodes.failed
      }
      say(describe(name, result, (performance.now() - began) / 1_000))
    }
    const all = [...results.values()]
    const lost = all.reduce((sum, result) => sum + result.lost + result.falseDeaths, 0)
    const adoptP99Ms = results.get('a zone dies')?.adopt?.p99
    const [first] = all
    console.log(JSON.stringify({ hosts, calls, lost, adoptP99Ms, writesPerSecond: first?.writesPerSecond }))
    return lost === 0 ? exitCodes.ok : exitCodes.failed
  },
})

function describe(name: string, result: ScenarioResult, seconds: number): string {
  const { store, adopt, resumed, drained, lost, falseDeaths, writesPerSecond } = result
  return [
    '',
    `${name} (${seconds.toFixed(0)} s)`,
    `  requests        ${store.perSecond} per second, ${store.peak} in the busiest second`,
    `  store           ${Math.round(store.busy * 100)} % busy, answers after ${store.p50.toFixed(1)} ms (p50), ${store.p99.toFixed(1)} ms (p99)`,
    `  writes          ${writesPerSecond} per second`,
    ...(adopt
      ? [
          `  adopted after   ${adopt.p50} ms (p50), ${adopt.p99} ms (p99), ${adopt.most} ms (all); ${resumed} calls went on`,
        ]
      : []),
    ...(drained === undefined ? [] : [`  spools empty    ${drained} ms after the outage`]),
    `  lost            ${lost} calls, ${falseDeaths} hosts taken for dead that live`,
  ].join('\n')
}
