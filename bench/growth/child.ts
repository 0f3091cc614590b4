import type { CurveName } from './curve.ts'
import { measureGrowth } from './measure-growth.ts'

/** A point to measure, as JSON in the first argument of the process. */
export interface GrowthOrder {
  readonly curve: CurveName
  readonly size: number
}

// Measures one point, sends it to the parent process, and exits.
const { curve, size } = JSON.parse(process.argv[2]!) as GrowthOrder
process.send!(await measureGrowth(curve, size))
process.disconnect()
