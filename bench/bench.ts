/** One comparison: what is measured, of whom, and how good ours has to be. */
export interface Bench {
  readonly summary: string
  /** Told under the table: what a reader must know to judge the figures. */
  readonly notes: readonly string[]
  /** The columns, in their order. */
  readonly figures: Readonly<Record<string, Figure>>
  /** The rows, ours first. */
  readonly contestants: Readonly<Record<string, Contestant>>
  readonly marks: readonly Mark[]
  /** What is measured only when it is asked for, by the name of the option: it takes long. */
  readonly extras?: Readonly<Record<string, string>>
}

export interface Figure {
  readonly title: string
  readonly unit: string
  /** Digits after the point. */
  readonly digits: number
  /** The extra that it belongs to. */
  readonly extra?: string
}

export interface Contestant {
  /** The package whose version is named. */
  readonly package?: string
  /** Loads the contestant's own file, and no other's: what is not loaded cannot weigh on the heap. */
  readonly load: () => Promise<{ readonly measure: Measure }>
}

/** Takes one sample of each figure that the contestant has part in. Its process ends after that. */
export type Measure = (extras: readonly string[]) => Promise<Sample>
export type Sample = Readonly<Record<string, number>>

/**
 * What ours must reach: so many times cheaper than a contestant, at most so many times as much as one that does less, or
 * no more than so much.
 */
export type Mark =
  | { readonly figure: string; readonly against: string; readonly timesCheaper: number }
  | { readonly figure: string; readonly against: string; readonly timesAsMuch: number }
  | { readonly figure: string; readonly atMost: number }
