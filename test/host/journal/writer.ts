import { openJournal } from '../../../src/host/journal/index.ts'
import { samples } from '../../../src/testing/journal-conformance/index.ts'

// Writes calls into the journal in a folder until it is killed, and prints the number of each that was acknowledged.

const { appends, closes, message, newCall, opens } = samples
const [folder = ''] = process.argv.slice(2)
const journal = await openJournal(folder)
const first = (await journal.list({ limit: 10_000 })).length
for (let index = first; ; index += 1) {
  const id = `c${index}`
  const entries = appends(id, 1, message(1, 'one'), message(2, 'two'))
  await journal.write([opens(newCall(id, { work: ['save'] })), entries, closes(id, 1)])
  process.stdout.write(`${index}\n`)
}
