/** The exit codes of `endwell start`. 2 is left to mistakes in the command. */
export const exitCodes = {
  /** Every call of every worker closed cleanly, and every report was written. */
  clean: 0,
  /** Every report was written. At least one call did not close cleanly, or lost its process. */
  unclean: 1,
  /** At least one report may not have been written: its call is found, and its report made, at the next start. */
  unwritten: 3,
  /** A third signal killed the workers. Their calls are found, and their reports made, at the next start. */
  killed: 4,
  /** Workers died again and again before one of them was ready. What they printed says why. */
  hopeless: 5,
} as const
