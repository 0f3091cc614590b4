import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes, type Command } from '../../src/cli/command.ts'
import { median } from '../median.ts'
import { build, rotated, runApart } from '../rounds.ts'
import { thousandths } from '../thousandths.ts'
import type { GrowthOrder } from './child.ts'
import { curves, type Curve, type CurveName, type Point, type Points } from './curve.ts'
import { growthTable } from './growth-table.ts'
import { bendsOf } from './verdict.ts'

const notes = [
  'Each point has a process of its own. CPU: the least of the rounds, on all threads, because other load can only add to it. Memory:',
  'the median of the rounds. A unit at the largest size may cost 1.2 times as much as at the smallest. Sessions start and talk one',
  'after another, and have room for so many young objects that no garbage is collected meanwhile. The collector copies and marks what',
  'lives on, which costs next to nothing for ten sessions and its full price for a thousand: the curves with it have no target.',
]

/** Threads that collect garbage at the same time wait for each other, and waiting counts as CPU time. */
function flagsOf({ young }: Curve): string[] {
  const room = young === undefined ? [] : ['min', 'max'].map((each) => `--${each}-semi-space-size=${young}`)
  return ['--single-threaded-gc', ...room]
}

const options = {
  rounds: { type: 'number', about: 'how many samples to take of each point', default: 1 },
  only: { type: 'string', about: `only this curve: ${Object.keys(curves).join(', ')}` },
} as const

/** `npm run bench -- growth`. */
export const growth: Command<typeof options> = {
  name: 'npm run bench -- growth',
  summary:
    'Time and memory per unit with more and more sessions, tools, items of a history and minutes of a call.',
  options,
  run: async ({ rounds, only, json }) => {
    if (only !== undefined && !Object.hasOwn(curves, only)) {
      console.error(`There is no curve '${only}'`)
      return exitCodes.misuse
    }
    const points = await measureAll(Math.max(1, Math.floor(rounds)), only)
    const bends = bendsOf(points).filter(({ curve }) => only === undefined || curve === only)
    const ok = bends.every((bend) => bend.ok)
    const outcome = { bench: 'growth', node: process.version, points, bends, ok }
    if (json) console.log(JSON.stringify(outcome, thousandths))
    else
      console.log(
        [`node ${process.version}`, growth.summary, '', ...notes, '', growthTable(points, bends)].join('\n'),
      )
    return ok ? exitCodes.ok : exitCodes.failed
  },
}

/** Measures every point once per round. The order rotates, so that other load does not always hit the same point. */
async function measureAll(rounds: number, only: string | undefined): Promise<Points> {
  const orders = (Object.keys(curves) as CurveName[])
    .filter((curve) => only === undefined || curve === only || curve === collectedOf(only))
    .flatMap((curve) => curves[curve].sizes.map((size): GrowthOrder => ({ curve, size })))
  const taken = new Map(orders.map((order) => [order, [] as Point[]]))
  const built = build()
  try {
    for (let round = 0; round < rounds; round++)
      for (const order of rotated(orders, Math.floor((round * orders.length) / rounds))) {
        progress(`round ${round + 1} of ${rounds}: ${order.curve}, ${order.size}`)
        const program = join(built, 'bench', 'growth', 'child.js')
        taken.get(order)!.push(await runApart<Point>(program, order, flagsOf(curves[order.curve])))
      }
  } finally {
    progress('')
    rmSync(built, { recursive: true })
  }
  const points: Record<string, Record<number, Point>> = {}
  for (const [{ curve, size }, samples] of taken) (points[curve] ??= {})[size] = combined(samples)
  return points
}

function collectedOf(curve: string): string | undefined {
  const { collected }: Curve = curves[curve as CurveName]
  return collected
}

function combined(samples: readonly Point[]): Point {
  const memory = samples.flatMap((sample) => sample.memory ?? [])
  return {
    cpu: Math.min(...samples.map(({ cpu }) => cpu)),
    ...(memory.length > 0 ? { memory: median(memory) } : {}),
  }
}

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`)
}
