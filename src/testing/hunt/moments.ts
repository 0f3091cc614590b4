import type { SimRandom } from '../sim-random.ts'
import type { Anchor } from './call-record.ts'
import type { Moment } from './conversation.ts'

/** Where in the time between two lines of a story a call is ended, in the order in which these are tried. */
const fractions = [0, 0.5, 0.25, 0.75, 0.125, 0.375, 0.625, 0.875]

/** A moment, and whether code of the agent runs at it. */
export interface ChosenMoment extends Moment {
  readonly busy: boolean
}

/**
 * Chooses moments of a conversation from the story of a healthy call: right after each line, then between two lines. Moments at
 * which code of the agent runs come first. Between two lines, nothing happens in virtual time.
 */
export function chooseMoments(anchors: readonly Anchor[], count: number, random: SimRandom): ChosenMoment[] {
  const chosen = new Map<string, ChosenMoment>()
  for (const fraction of fractions) {
    const level = anchors.map((anchor, index) => {
      const length = (anchors[index + 1]?.at ?? anchor.at) - anchor.at
      const jitter = fraction === 0 ? 0 : (random.next() - 0.5) / 8
      return { ...anchor, after: Math.round(length * (fraction + jitter)), place: random.next() }
    })
    // In a random order: if there are more moments than wanted, another seed tries others.
    level.sort((one, other) => Number(other.busy) - Number(one.busy) || one.place - other.place)
    for (const { text, nth, after, busy } of level) {
      if (chosen.size >= count) return [...chosen.values()]
      const key = `${text} ${nth} ${after}`
      if (!chosen.has(key)) chosen.set(key, { anchor: text, nth, after, busy })
    }
  }
  return [...chosen.values()]
}
