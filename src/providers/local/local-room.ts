import { availableParallelism } from 'node:os'

/**
 * What this machine can take, in worker threads per core. Measured with `npm run bench -- room`: a call with `LocalStt`
 * and `LocalTts` has two threads, whose start takes 0.7 s of a core, and then takes about 3 % of a core while it talks.
 */
const perCore = {
  /** Two calls, which are ready after 1.4 s. On a machine that is busy with other work, it takes several times as long. */
  starting: 4,
  /** Twelve calls, which take 40 % of a core when all of them talk at once. */
  running: 24,
} as const

/** Bytes that a call takes, with a margin: 110 MB were measured. The first one takes 50 MB more, which all calls share. */
const CALL = 150_000_000

/** The worker threads of the local models in this process. */
export const localThreads = { starting: 0, running: 0 }

/**
 * Whether this machine can take another call with local models. Pass it to the calls as `hasRoom`: a caller for whom there
 * is no room is told at once that the line is busy, instead of waiting for models that are not ready in time.
 */
export function hasLocalRoom(): boolean {
  const { starting, running } = localThreads
  const cores = availableParallelism()
  if (starting >= perCore.starting * cores || starting + running >= perCore.running * cores) return false
  return starting + running === 0 || process.availableMemory() > CALL
}
