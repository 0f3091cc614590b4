import type { Sample } from '../bench.ts'
import { measureFrames } from './frames.ts'

/** The floor: a wait that nothing can end early. */
export function measure(): Promise<Sample> {
  return measureFrames((frame) => frame)
}
