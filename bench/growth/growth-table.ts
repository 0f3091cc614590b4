import { aligned, number } from '../table.ts'
import { curves, type Curve, type Points } from './curve.ts'
import { FLAT, type Bend } from './verdict.ts'

const units = { cpu: 'CPU, µs', memory: 'memory, KB' } as const

/** Formats the curves for a terminal. The last line is a summary. */
export function growthTable(points: Points, bends: readonly Bend[]): string {
  const measured = (Object.entries(curves) as [string, Curve][]).filter(
    ([name]) => points[name] !== undefined,
  )
  const blocks = measured.map(([name, curve]) => {
    const row = (figure: keyof typeof units): string[] => {
      const judged = bends.find((each) => each.curve === name && each.figure === figure)
      const values = curve.sizes.map((size) => points[name]?.[size]?.[figure])
      return [`  ${units[figure]} per ${curve.per}`, ...values.map(cell), judged ? verdictOf(judged) : '']
    }
    const sizes = curve.sizes.map((size) => number(size, 0))
    const rows = [row('cpu'), ...(curve.hasMemory ? [row('memory')] : [])]
    return [curve.title, ...aligned([[`  ${curve.of}`, ...sizes, ''], ...rows])].join('\n')
  })
  const missed = bends.filter(({ ok }) => !ok)
  const summary =
    missed.length === 0
      ? `ok: all ${bends.length} curves are flat`
      : `not ok: ${missed.length} of ${bends.length} curves bend`
  return [...blocks, summary].join('\n\n')
}

function cell(value: number | undefined): string {
  if (value === undefined) return '–'
  return number(value, value < 10 ? 2 : value < 100 ? 1 : 0)
}

function verdictOf({ times, ok }: Bend): string {
  return `${ok ? 'met' : 'missed'}: ${number(times, 2)} times, at most ${number(FLAT, 2)}`
}
