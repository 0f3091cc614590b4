import { execFileSync, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Bench, Sample } from './bench.ts'
import type { Order } from './child.ts'
import { median } from './median.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The samples of each contestant, one per round. */
export type Samples = Readonly<Record<string, readonly Sample[]>>

/** The median of each figure, by contestant. */
export type Medians = Readonly<Record<string, Sample>>

/**
 * Takes one sample of every contestant per round.
 *
 * Each sample has its own process: in a shared one, the garbage, the loaded modules and the JIT's assumptions of one
 * contestant would change the figures of the next, above all its heap. The order rotates by one per round, so that other
 * load on the machine does not always hit the same contestant.
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
 * Compiles the working tree into a folder from which its packages are found.
 *
 * The benchmarks measure what is shipped, the output of `tsc`. With tsx, every named closure has a wrapper and every error
 * pays for source maps, which slows some contestants down by half and others not at all.
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

/** A process without a sample after this long hangs. The slowest takes a minute and a half on two cores. */
const SAMPLE_TIMEOUT = 10 * 60_000

function measureApart(built: string, order: Order): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const child = fork(join(built, 'bench', 'child.js'), [JSON.stringify(order)], {
      execArgv: ['--expose-gc'],
      timeout: SAMPLE_TIMEOUT,
    })
    let sample: Sample | undefined
    child.on('message', (message) => {
      sample = message as Sample
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0 && sample) resolve(sample)
      else reject(new Error(`${order.contestant} exited with ${code ?? signal} before it sent a sample`))
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
