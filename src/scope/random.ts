/** The source of randomness for endwell's own code (SC17). Jitter comes from here, so that a simulation can replay it. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number
}

/** The platform's random numbers. Not for secrets. */
export const systemRandom: Random = { next: () => Math.random() }
