import { benches } from './benches.ts'
import { weighing } from './rounds.ts'

/** The process of one contestant: takes one sample, sends it to its parent, ends. */
const [bench = '', contestant = '', weigh] = process.argv.slice(2)
const { measure } = await benches[bench]!.contestants[contestant]!.load()
process.send!(await measure(weigh === weighing))
process.disconnect()
