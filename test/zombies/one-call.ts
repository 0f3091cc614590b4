import { allCases } from './cases.ts'
import { runCase } from './run-case.ts'

/** One case, told to whoever started this process when everything is closed. The rest is up to the process. */
const [subject, phase] = process.argv.slice(2)
const one = allCases().find((each) => each.subject.name === subject && each.phase === phase)
if (!one) throw new Error(`there is no case '${subject} · ${phase}'`)
const { end } = await runCase(one)
await end()
process.stdout.write('closed\n')
