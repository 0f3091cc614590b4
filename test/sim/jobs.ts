import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fast } from './compile-sim.ts'
import type { Lived, Range } from './lives.ts'

/** Ranges are short enough for all jobs to end at about the same time, and long enough to be worth a message. */
const rangeOf = (seeds: number, jobs: number): number =>
  Math.min(2_000, Math.max(25, Math.ceil(seeds / (jobs * 20))))

/**
 * Lives a range in several processes at once. `lived` is called for each part of it, with the seed below which all lives have
 * ended. Resolves when all have ended, or one has failed and `range.stop` is set.
 */
export async function liveInJobs(
  program: string,
  range: Range,
  jobs: number,
  lived: (part: Lived, below: number) => void,
): Promise<void> {
  const { world, stop, hash } = range
  const last = range.from + range.seeds
  const size = rangeOf(range.seeds, jobs)
  const pending = new Set<number>()
  let next = range.from
  let stopped = false

  const work = async (child: ChildProcess): Promise<void> => {
    while (next < last && !stopped) {
      const from = next
      const seeds = Math.min(size, last - from)
      next += seeds
      pending.add(from)
      const part = await answer(child, { world, from, seeds, stop, hash })
      pending.delete(from)
      stopped ||= stop && part.failures.length > 0
      lived(part, Math.min(next, ...pending))
    }
  }

  const children = Array.from({ length: jobs }, () => fork(program, { execArgv: fast }))
  try {
    await Promise.all(children.map(work))
  } finally {
    await Promise.all(children.map(end))
  }
}

/** Has a process live a range. Rejects if the process dies. */
function answer(child: ChildProcess, range: Range): Promise<Lived> {
  return new Promise((resolve, reject) => {
    const died = (): void => {
      const { from, seeds } = range
      reject(new Error(`a process of the simulation died in seeds ${from} to ${from + seeds - 1}`))
    }
    child.once('exit', died)
    child.once('message', (part: Lived) => {
      child.off('exit', died)
      resolve(part)
    })
    child.send(range)
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.connected) child.disconnect()
  if (child.exitCode === null) await once(child, 'exit')
}
