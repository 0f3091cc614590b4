/** One benchmark: what is measured, for which contestants, and the targets that endwell must meet. */
export interface Bench {
  readonly summary: string
  /** Printed below the table: what a reader must know to judge the figures. */
  readonly notes: readonly string[]
  /** The columns, in order. */
  readonly figures: Readonly<Record<string, Figure>>
  /** The rows. The first one is endwell. */
  readonly contestants: Readonly<Record<string, Contestant>>
  readonly marks: readonly Mark[]
  /** Measures all contestants at the same time, so that the machine is as busy and as fast for each. They must leave it idle time. */
  readonly atOnce?: boolean
  /** Prints one table per pair, with a line per figure and the ratio, instead of one table with a line per contestant. */
  readonly pairs?: readonly Pair[]
  /** Why a contestant has no such figure, by contestant and figure. */
  readonly absent?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** A folder with a lock file of its own, whose packages the contestants in that folder import. */
  readonly packages?: string
  /** Slow measurements that run only with the option of this name. */
  readonly extras?: Readonly<Record<string, string>>
}

/** Two contestants that do the same work. */
export interface Pair {
  readonly title: string
  readonly ours: string
  readonly theirs: string
}

export interface Figure {
  readonly title: string
  readonly unit: string
  /** Digits after the decimal point. */
  readonly digits: number
  /** The extra that the figure belongs to. */
  readonly extra?: string
}

export interface Contestant {
  /** The package whose version is printed. */
  readonly package?: string
  /** Loads only this contestant's file, so that no other code adds to its heap. */
  readonly load: () => Promise<{ readonly measure: Measure }>
}

/** Takes one sample of each figure that the contestant supports, in a process of its own. */
export type Measure = (extras: readonly string[]) => Promise<Sample>
export type Sample = Readonly<Record<string, number>>

/**
 * A target for endwell: N times cheaper than a contestant, at most N times as much as a contestant that does less, or at most
 * an absolute value. `of` is the contestant that is judged. Default: the first one.
 */
export type Mark =
  | { readonly figure: string; readonly of?: string; readonly against: string; readonly timesCheaper: number }
  | { readonly figure: string; readonly of?: string; readonly against: string; readonly timesAsMuch: number }
  | { readonly figure: string; readonly atMost: number }
