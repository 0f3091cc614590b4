import type { Sample } from '../bench.ts'
import { measureFrames } from './frames.ts'

/** Runs fewer frames, because every race stays attached to the long-lived promise, and a million would fill a small heap. */
export function measure(): Promise<Sample> {
  const callEnds = new Promise<never>(() => {})
  return measureFrames((frame) => Promise.race([frame, callEnds]), 200_000)
}
