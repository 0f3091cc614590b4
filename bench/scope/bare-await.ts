import type { Sample } from '../bench.ts'
import { measureFrames } from './frames.ts'

/** The lower bound: a wait that cannot be ended early. */
export function measure(): Promise<Sample> {
  return measureFrames((frame) => frame)
}
