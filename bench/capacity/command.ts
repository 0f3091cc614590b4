import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes, type Command } from '../../src/cli/command.ts'
import { build, runApart } from '../rounds.ts'
import { aligned, number } from '../table.ts'
import { thousandths } from '../thousandths.ts'
import type { CapacityLine, CapacityOrder, CapacityResult } from './child.ts'

const notes = [
  'One process answers calls over real sockets, on a core of its own if `taskset` exists; the callers are another process. Everybody',
  'talks all the time: a VAD and stubs for the models, as in the benches `calls` and `phone`. Lateness: by how much the timers of the',
  'server are late, which delays every frame, as the 99th percentile of five seconds. A step also fails if the callers cannot keep up.',
]

const options = {
  late: { type: 'number', about: 'the lateness at which a step has failed, in milliseconds', default: 20 },
  step: { type: 'number', about: 'how many calls to add at a time', default: 100, range: [1, 1_000] },
  most: { type: 'number', about: 'the most calls to try', default: 1_000, range: [1, 1_000] },
} as const

/** `npm run bench -- capacity`. */
export const capacity: Command<typeof options> = {
  name: 'npm run bench -- capacity',
  summary: 'How many calls one core answers before frames are late, in the browser and on the phone.',
  options,
  run: async ({ late, step, most, json }) => {
    const results: Partial<Record<CapacityLine, CapacityResult>> = {}
    const built = build()
    try {
      for (const line of ['browser', 'phone'] as const) {
        const order: CapacityOrder = { line, late, step, most }
        results[line] = await runApart<CapacityResult>(join(built, 'bench', 'capacity', 'child.js'), order)
      }
    } finally {
      rmSync(built, { recursive: true })
    }
    const lines = Object.entries(results).map(([line, result]) => ({
      line,
      calls: Math.max(
        0,
        ...result.steps.filter((each) => each.late <= late && each.sent >= 0.9).map(({ calls }) => calls),
      ),
      ...result,
    }))
    if (json)
      console.log(JSON.stringify({ bench: 'capacity', node: process.version, late, lines }, thousandths))
    else
      console.log(
        [`node ${process.version}`, capacity.summary, '', ...notes, '', ...lines.map(tableOf)].join('\n'),
      )
    return lines.every(({ calls }) => calls > 0) ? exitCodes.ok : exitCodes.failed
  },
}

function tableOf({ line, calls, pinned, steps }: CapacityResult & { line: string; calls: number }): string {
  const rows = steps.map((each) => [
    `  ${number(each.calls, 0)} calls`,
    `${number(each.late, 1)} ms late`,
    `${number(each.sent * 100, 0)} % of the frames sent`,
    `${number(each.cpu, 0)} % of a core`,
  ])
  const cores = pinned ? '' : ' (processes share cores: `taskset` was not found)'
  return [`${line}: ${number(calls, 0)} calls${cores}`, ...aligned(rows), ''].join('\n')
}
