import { execFileSync, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Bench, Sample } from './bench.ts'
import type { Order } from './child.ts'
import { median } from './median.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What each contestant has measured, round by round. */
export type Samples = Readonly<Record<string, readonly Sample[]>>

/** The median of each figure, by contestant. */
export type Medians = Readonly<Record<string, Sample>>

/**
 * Lets every contestant measure itself once a round.
 *
 * Each sample has a process of its own: in a shared one the garbage, the loaded modules and the compiler's guesses of
 * one contestant change the figures of the next, its heap above all. The order moves on by one a round, so that a
 * neighbour's work on the same machine does not always meet the same contestant.
 */
export async function runRounds(
  name: string,
  bench: Bench,
  rounds: number,
  extras: readonly string[],
  progress: (line: string) => void,
): Promise<Samples> {
  const contestants = Object.keys(bench.contestants)
  const samples = new Map(contestants.map((contestant) => [contestant, [] as Sample[]]))
  const built = build()
  try {
    for (let round = 0; round < rounds; round++) {
      for (const contestant of rotated(contestants, round)) {
        progress(`round ${round + 1} of ${rounds}: ${contestant}`)
        samples.get(contestant)!.push(await measureApart(built, { bench: name, contestant, extras }))
      }
    }
  } finally {
    rmSync(built, { recursive: true })
  }
  return Object.fromEntries(samples)
}

/**
 * Compiles the repository as it is now, into a folder from where its packages are found.
 *
 * What is measured is what is shipped, the output of `tsc`. Run through tsx, the same code has a wrapper around every
 * named closure, and every error pays for source maps: some contestants get slower by half, others do not.
 */
function build(): string {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'bench-'))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = ['--noEmit', 'false', '--noCheck', '--rootDir', root, '--outDir', folder]
  execFileSync(process.execPath, [tsc, '-p', root, ...options], { stdio: ['ignore', 2, 2] })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  return folder
}

/** One that has no sample by then hangs. The longest takes a minute and a half on two cores. */
const LONGEST = 10 * 60_000

function measureApart(built: string, order: Order): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const child = fork(join(built, 'bench', 'child.js'), [JSON.stringify(order)], {
      execArgv: ['--expose-gc'],
      timeout: LONGEST,
    })
    let sample: Sample | undefined
    child.on('message', (message) => {
      sample = message as Sample
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0 && sample) resolve(sample)
      else reject(new Error(`${order.contestant} ended with ${code ?? signal}, without a sample`))
    })
  })
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const first = by % list.length
  return [...list.slice(first), ...list.slice(0, first)]
}

export function mediansOf(samples: Samples): Medians {
  return Object.fromEntries(
    Object.entries(samples).map(([contestant, taken]) => [contestant, medians(taken)]),
  )
}

function medians(samples: readonly Sample[]): Sample {
  const figures = Object.keys(samples[0] ?? {})
  return Object.fromEntries(
    figures.map((figure) => [figure, median(samples.map((sample) => sample[figure]!))]),
  )
}
