import { benches } from './benches.ts'

/** What the process of one contestant is asked for, as JSON in its first argument. */
export interface Order {
  readonly bench: string
  readonly contestant: string
  /** The extras that were asked for. */
  readonly extras: readonly string[]
}

// Takes one sample, sends it to its parent, ends.
const { bench, contestant, extras } = JSON.parse(process.argv[2]!) as Order
const { measure } = await benches[bench]!.contestants[contestant]!.load()
process.send!(await measure(extras))
process.disconnect()
