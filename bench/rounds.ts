import { execFileSync, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { OwnPackages } from '../tools/own-packages.ts'
import type { Bench, Sample } from './bench.ts'
import type { Order } from './child.ts'
import { median } from './median.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The samples of each contestant, one per round. */
export type Samples = Readonly<Record<string, readonly Sample[]>>

/** The median of each figure, by contestant. */
export type Medians = Readonly<Record<string, Sample>>

/**
 * Takes one sample of every contestant per round, one after another or at the same time.
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
    if (bench.packages !== undefined) await addPackages(built, bench.packages)
    for (let round = 0; round < rounds; round++) {
      const measure = async (contestant: string): Promise<void> => {
        const order: Order = { bench: name, contestant, extras }
        samples.get(contestant)!.push(await runApart<Sample>(join(built, 'bench', 'child.js'), order))
      }
      const where = `round ${round + 1} of ${rounds}`
      if (bench.atOnce) {
        progress(where)
        await Promise.all(contestants.map(measure))
        continue
      }
      for (const contestant of rotated(contestants, round)) {
        progress(`${where}: ${contestant}`)
        await measure(contestant)
      }
    }
  } finally {
    rmSync(built, { recursive: true })
  }
  return Object.fromEntries(samples)
}

/**
 * Compiles the working tree into a folder from which its packages are found. The caller removes it.
 *
 * The benchmarks measure what is shipped, the output of `tsc`. With tsx, every named closure has a wrapper and every error
 * pays for source maps, which slows some contestants down by half and others not at all.
 */
export function build(): string {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'bench-'))
  compile(root, folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  return folder
}

/** Installs the packages of a folder in `bench`, and compiles the contestants that import them. */
async function addPackages(built: string, folder: string): Promise<void> {
  const own = join(root, 'bench', folder)
  await new OwnPackages(own).install()
  compile(own, built)
  symlinkSync(join(own, 'node_modules'), join(built, 'bench', folder, 'node_modules'), 'junction')
}

function compile(project: string, folder: string): void {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = ['--noEmit', 'false', '--noCheck', '--rootDir', root, '--outDir', folder]
  execFileSync(process.execPath, [tsc, '-p', project, ...options], { stdio: ['ignore', 2, 2] })
}

/** A process without a sample after this long hangs. The slowest takes a minute and a half on two cores. */
const SAMPLE_TIMEOUT = 10 * 60_000

/** Runs a program in a process of its own, with the order as its first argument. Resolves with the message that it sends. */
export function runApart<T>(program: string, order: object, flags: readonly string[] = []): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = fork(program, [JSON.stringify(order)], {
      execArgv: ['--expose-gc', ...flags],
      timeout: SAMPLE_TIMEOUT,
    })
    let result: { readonly message: T } | undefined
    child.on('message', (message) => {
      result = { message: message as T }
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0 && result) resolve(result.message)
      else reject(new Error(`${JSON.stringify(order)} exited with ${code ?? signal} before it sent a sample`))
    })
  })
}

export function rotated<T>(list: readonly T[], by: number): T[] {
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
