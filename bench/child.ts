import { benches } from './benches.ts'

/** What to measure, as JSON in the first argument of the process. */
export interface Order {
  readonly bench: string
  readonly contestant: string
  /** The extras to measure. */
  readonly extras: readonly string[]
}

// Takes one sample, sends it to the parent process, and exits.
const { bench, contestant, extras } = JSON.parse(process.argv[2]!) as Order
const { measure } = await benches[bench]!.contestants[contestant]!.load()
// The far end of a call may keep timers, such as those of werift, for half a minute.
process.send!(await measure(extras), undefined, undefined, () => process.exit())
