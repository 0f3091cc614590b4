import { concat, level, type AudioFrame } from '../../audio/index.ts'

/** The level, in dBFS, below which a block is a pause. */
const QUIET = -50
/** Milliseconds of pause that separate two utterances. Shorter pauses belong to an utterance. */
const BETWEEN = 400
const BLOCK = 20

/** Splits a recording at its pauses. Returns one frame per utterance, without the pauses between them. */
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
