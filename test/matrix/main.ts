import { writeFile } from 'node:fs/promises'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { allCases } from './cases.ts'
import { page } from './page.ts'
import { runCase, type CaseResult } from './run-case.ts'
import { table } from './table.ts'

await runCommand({
  name: 'npm run matrix --',
  summary:
    'Ends a session in every way, at every moment of a conversation, with every kind of fault in every step, in virtual\n' +
    'time, and checks each result against the rules in SPEC.md.',
  options: {
    filter: { type: 'string', about: 'run only cases whose name contains this text', default: '' },
    every: { type: 'number', about: 'run only every Nth case', default: 1 },
    unreachable: { type: 'boolean', about: 'list the cases that cannot be reached' },
    html: { type: 'string', about: 'write the matrix to this file as HTML' },
  },
  run: async ({ filter, every, unreachable: list, html, json }) => {
    const say = json ? () => {} : console.log
    const began = performance.now()
    const results: CaseResult[] = []
    let index = 0
    for await (const one of allCases()) {
      if (!one.name.includes(filter) || index++ % Math.max(1, every) !== 0) continue
      const result = await runCase(one)
      results.push(result)
      if (result.outcome === 'failed') {
        if (json) console.log(JSON.stringify({ case: one.name, problems: result.problems }))
        else say(`✗ ${one.name}\n${result.problems.map((problem) => `    ${problem}`).join('\n')}`)
        if (filter !== '') say(result.story)
      }
      if (!json && process.stderr.isTTY && results.length % 100 === 0)
        process.stderr.write(`\r${results.length} cases …`)
    }
    for (const { outcome, case: one } of list || json ? results : []) {
      if (outcome !== 'unreachable') continue
      const why =
        one.step === undefined
          ? 'the session cannot be ended that way at this moment'
          : `${one.step} does not run in this case`
      if (json) console.log(JSON.stringify({ unreachable: one.name, why }))
      else say(`· ${one.name}: ${why}`)
    }
    if (html !== undefined) await writeFile(html, page(results))
    const counted = results.filter(({ outcome }) => outcome !== 'unreachable')
    const passed = counted.filter(({ outcome }) => outcome === 'passed').length
    const unreachable = results.length - counted.length
    const worstMs = Math.max(0, ...results.map(({ tookMs }) => Math.round(tookMs)))
    const seconds = Math.round((performance.now() - began) / 1_000)
    if (json) console.log(JSON.stringify({ cases: counted.length, passed, unreachable, worstMs }))
    else {
      say(table(results))
      say(
        `${passed} of ${counted.length} cases passed, ${unreachable} cannot be reached, longest close ${worstMs} ms, in ${seconds} s`,
      )
    }
    return passed === counted.length ? exitCodes.ok : exitCodes.failed
  },
})
