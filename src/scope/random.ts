/** Chance, as endwell's own code sees it (SC17): jitter is drawn from here, so that a simulation can replay it. */
export interface Random {
  /** A number from 0 up to, but never, 1. */
  next(): number
}

/** The chance of the machine. Not for secrets. */
export const systemRandom: Random = { next: () => Math.random() }
