/** One recognised word or silence, as soundswallower reports it. */
export interface Segment {
  /** The word. */
  readonly t: string
  /** Its duration in seconds. */
  readonly d: number
  /** How well it fits the audio, 0 to 1. */
  readonly p: number
}

/**
 * The score that a word may lose per 10 ms frame against the best-fitting sound. Words of the grammar lose 5 to 30 per
 * frame when they were said, and 40 to 160 when other speech was matched to them. Measured with
 * `npm run bench -- local`, over four voices in eight surroundings.
 */
const ALLOWED_LOSS = 25
/** The excess loss of a stretch of frames at which the doubt is 1. */
const MAX_EXCESS = 900
/** The recogniser's scores are logarithms to the base 1.0001. */
const LOG_BASE = Math.log(1.0001)

/**
 * How likely it is that something else was said: 0 means certainly not, above 1 means probably. The worst stretch counts,
 * not the mean: in 'cancel my subscription', two words of 'cancel my appointment' fit very well.
 */
export function doubtOf(segments: readonly Segment[]): number {
  let stretch = 0
  let worst = 0
  for (const { t, d, p } of segments) {
    if (t === '(NULL)') continue
    const loss = p > 0 ? -Math.log(p) / LOG_BASE : Infinity
    stretch = Math.max(0, stretch + loss - ALLOWED_LOSS * d * 100)
    worst = Math.max(worst, stretch)
  }
  return worst / MAX_EXCESS
}
