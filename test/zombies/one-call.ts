import { allCases } from './cases.ts'
import { runCase } from './run-case.ts'

// Runs one case, and prints 'closed' when everything is closed. After that the process must exit on its own.
const [subject, phase] = process.argv.slice(2)
const one = allCases().find((each) => each.subject.name === subject && each.phase === phase)
if (!one) throw new Error(`there is no case '${subject} · ${phase}'`)
const { end } = await runCase(one)
await end()
process.stdout.write('closed\n')
