/** One word or silence of what was recognised: its name, its length in seconds, and how well it fits the sound. */
export interface Segment {
  readonly t: string
  readonly d: number
  readonly p: number
}

/**
 * What a frame of ten milliseconds of a word that was really said may lose against the sound that fits best, and by how
 * much a stretch of them may be worse. Words of the grammar lose 5 to 30 a frame, other speech that is pressed into
 * them 40 to 160. Found with `npm run bench -- local`, over four voices in eight surroundings.
 */
const ALLOWED = 25
const TOO_MUCH = 900
/** The recogniser counts in powers of it. */
const BASE = Math.log(1.0001)

/**
 * How sure it is that something else was said: 0 is surely what was recognised, above 1 rather not. It is the worst
 * stretch that counts, and not the mean: in 'cancel my subscription' two words of 'cancel my appointment' fit very well.
 */
export function doubtOf(segments: readonly Segment[]): number {
  let stretch = 0
  let worst = 0
  for (const { t, d, p } of segments) {
    if (t === '(NULL)') continue
    const lost = p > 0 ? -Math.log(p) / BASE : Infinity
    stretch = Math.max(0, stretch + lost - ALLOWED * d * 100)
    worst = Math.max(worst, stretch)
  }
  return worst / TOO_MUCH
}
