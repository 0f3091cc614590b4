import { concat, level, type AudioFrame } from '../audio/index.ts'

/** Quieter than this, in dBFS, is a pause. */
const QUIET = -50
/** A pause this long, in milliseconds, stands between two things that are said; within one there are shorter ones. */
const BETWEEN = 400
const BLOCK = 20

/** What is said in a recording, one thing a frame: pauses part them, and are left out. */
export function utterancesOf({ samples, sampleRate }: AudioFrame): AudioFrame[] {
  const size = (sampleRate * BLOCK) / 1000
  const utterances: AudioFrame[][] = [[]]
  let pause: AudioFrame[] = []
  for (let at = 0; at < samples.length; at += size) {
    const block: AudioFrame = { samples: samples.subarray(at, at + size), sampleRate }
    if (level(block.samples) < QUIET) {
      pause.push(block)
      continue
    }
    if (pause.length * BLOCK >= BETWEEN) utterances.push([])
    const here = utterances.at(-1)!
    if (here.length > 0) here.push(...pause)
    here.push(block)
    pause = []
  }
  return utterances.filter(({ length }) => length > 0).map((blocks) => concat(blocks, sampleRate))
}
