/** The write latencies of the journal, from `/metrics`. */
export interface Appends {
  readonly count: number
  /** The number of writes up to each bound, in seconds. */
  readonly buckets: readonly { readonly bound: number; readonly count: number }[]
}

const NAME = 'endwell_journal_append_seconds'

export async function readAppends(url: string): Promise<Appends> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const buckets = [...text.matchAll(new RegExp(`^${NAME}_bucket{le="([^"]+)"} (\\S+)$`, 'gm'))].map(
    ([, bound, count]) => ({ bound: bound === '+Inf' ? Infinity : Number(bound), count: Number(count) }),
  )
  return { count: buckets.at(-1)?.count ?? 0, buckets }
}

/** The writes between two readings. */
export function between(before: Appends, after: Appends): Appends {
  const buckets = after.buckets.map(({ bound, count }, index) => ({
    bound,
    count: count - (before.buckets[index]?.count ?? 0),
  }))
  return { count: after.count - before.count, buckets }
}

/** Milliseconds within which this share of the writes was acknowledged, interpolated within its bucket. */
export function quantile({ count, buckets }: Appends, share: number): number {
  const wanted = count * share
  let below = { bound: 0, count: 0 }
  for (const bucket of buckets) {
    if (bucket.count >= wanted) {
      if (bucket.bound === Infinity) return below.bound * 1_000
      const part = (wanted - below.count) / Math.max(1, bucket.count - below.count)
      return (below.bound + part * (bucket.bound - below.bound)) * 1_000
    }
    below = bucket
  }
  return Number.NaN
}
