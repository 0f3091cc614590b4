import type { Bench, Mark, Sample } from './bench.ts'
import { median } from './median.ts'
import { mediansOf, type Samples } from './rounds.ts'

/** The result for one mark. */
export interface Judged {
  /** In words: `tasks: 4 times cheaper than effect`. */
  readonly wanted: string
  /** The ratio, or the figure itself. */
  readonly got: number
  readonly ok: boolean
}

export interface Verdict {
  /** How many times cheaper endwell is, by figure and contestant. */
  readonly ratios: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly marks: readonly Judged[]
  readonly ok: boolean
}

export function judge(bench: Bench, samples: Samples): Verdict {
  const medians = mediansOf(samples)
  const [ours = '', ...others] = Object.keys(bench.contestants)
  const ratio = (
    figure: string,
    other: string,
    of = opponentOf(bench, other) ?? ours,
  ): number | undefined => {
    const mine = medians[of]?.[figure]
    const theirs = medians[other]?.[figure]
    // A figure close to zero, such as kept bytes, has no meaningful ratio.
    const least = Math.min(0.1, 10 ** -bench.figures[figure]!.digits)
    return mine === undefined || theirs === undefined || mine < least ? undefined : round(theirs / mine)
  }
  const compared = bench.pairs?.map(({ theirs }) => theirs) ?? others
  const ratiosOf = (figure: string): Record<string, number> =>
    Object.fromEntries(
      compared.flatMap((other) => {
        const times = ratio(figure, other)
        return times === undefined ? [] : [[other, times]]
      }),
    )
  const judged = (mark: Mark): Judged => {
    const { title } = bench.figures[mark.figure]!
    if ('atMost' in mark) {
      const got = medians[ours]?.[mark.figure] ?? Number.NaN
      return { wanted: `${title}: at most ${mark.atMost}`, got: round(got), ok: got <= mark.atMost }
    }
    if ('timesAsMuch' in mark) {
      const got = round(timesAsMuch(samples[mark.of ?? ours], samples[mark.against], mark.figure))
      const wanted = `${title}: at most ${mark.timesAsMuch} times as much as ${mark.against}`
      return { wanted, got, ok: got <= mark.timesAsMuch }
    }
    const got = ratio(mark.figure, mark.against, mark.of) ?? Number.NaN
    const wanted = `${title}: ${mark.timesCheaper} times cheaper than ${mark.against}`
    return { wanted, got, ok: got >= mark.timesCheaper }
  }
  const marks = bench.marks.map(judged)
  const ratios = Object.fromEntries(Object.keys(bench.figures).map((figure) => [figure, ratiosOf(figure)]))
  return { ratios, marks, ok: marks.every(({ ok }) => ok) }
}

/** The contestant of endwell that does the same work. */
function opponentOf({ pairs = [] }: Bench, other: string): string | undefined {
  return pairs.find(({ theirs }) => theirs === other)?.ours
}

/** The median of the ratios in each round: other load on the machine affects both contestants of a round. */
function timesAsMuch(mine: readonly Sample[] = [], theirs: readonly Sample[] = [], figure: string): number {
  const ratios = mine.map((sample, n) => (sample[figure] ?? NaN) / (theirs[n]?.[figure] ?? NaN))
  return median(ratios)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
