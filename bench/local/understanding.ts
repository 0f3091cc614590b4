import { clips } from '../../test/fixtures/speech.ts'
import type { Sample } from '../bench.ts'
import { cpuTime } from '../sampling.ts'
import { inSilence, surroundings } from './surroundings.ts'

/** Writes down what was said. Undefined if it is none of the phrases. The samples are the callee's. */
export type Recognise = (samples: Int16Array<ArrayBuffer>) => Promise<string | undefined>

/** How well the recordings are understood, in all surroundings, and what that costs. */
export async function understanding(recognise: Recognise): Promise<Sample> {
  const counts = { in: 0, out: 0, missed: 0, mistaken: 0, taken: 0 }
  let sound = 0
  const took = await cpuTime(async () => {
    for (const { kind, text, samples } of clips) {
      for (const change of Object.values(surroundings)) {
        const heard = Int16Array.from(change(inSilence(samples)))
        sound += heard.length / 16_000
        const understood = await recognise(heard)
        counts[kind]++
        if (kind === 'out' && understood !== undefined) counts.taken++
        if (kind === 'in' && understood === undefined) counts.missed++
        if (kind === 'in' && understood !== undefined && understood !== text) counts.mistaken++
      }
    }
  })
  const percent = (count: number, of: number): number => (100 * count) / of
  return {
    missed: percent(counts.missed, counts.in),
    mistaken: percent(counts.mistaken, counts.in),
    taken: percent(counts.taken, counts.out),
    speech: took / 1_000 / sound,
  }
}
