import { describe, expect, it } from 'vitest'
import { curves, type Curve, type Points } from '../../bench/growth/curve.ts'
import { growthTable } from '../../bench/growth/growth-table.ts'
import { bendsOf } from '../../bench/growth/verdict.ts'
import { growthChart } from '../../tools/pictures/growth-chart.ts'
import { themes } from '../../tools/pictures/svg.ts'

/** Points of all curves that cost the same at every size, except some that grow by a factor from size to size. */
function pointsWith(factors: Readonly<Record<string, number>>): Points {
  const all = (Object.entries(curves) as [string, Curve][]).map(([name, { sizes, hasMemory }]) => {
    const points = sizes.map((size, index) => {
      const cpu = 10 * (factors[name] ?? 1) ** index
      return [size, { cpu, ...(hasMemory ? { memory: 20 } : {}) }]
    })
    return [name, Object.fromEntries(points)]
  })
  return Object.fromEntries(all) as Points
}

describe('the benchmark of growth', () => {
  it('accepts a cost per unit that stays the same or falls', () => {
    const bends = bendsOf(pointsWith({ tools: 0.5 }))
    expect(bends.filter(({ ok }) => !ok)).toEqual([])
    expect(bends.find(({ curve }) => curve === 'tools')?.times).toBeLessThan(0.2)
    expect(growthTable(pointsWith({}), bends).split('\n').at(-1)).toBe('ok: all 11 curves are flat')
  })

  it('does not accept a cost per unit that grows by more than a fifth', () => {
    const points = pointsWith({ closing: 2 })
    const bends = bendsOf(points)
    expect(bends.filter(({ ok }) => !ok)).toEqual([{ curve: 'closing', figure: 'cpu', times: 8, ok: false }])
    const printed = growthTable(points, bends)
    expect(printed).toContain(
      '  CPU, µs per close  10.0  20.0   40.0    80.0  missed: 8.00 times, at most 1.20',
    )
    expect(printed.split('\n').at(-1)).toBe('not ok: 1 of 11 curves bend')
  })

  it('has no target for curves with the garbage collector', () => {
    const bends = bendsOf(pointsWith({ idleCollected: 2 }))
    expect(bends.filter(({ ok }) => !ok)).toEqual([])
    expect(bends.map(({ curve }) => curve)).not.toContain('idleCollected')
  })
})

describe('the chart of growth', () => {
  it('has a panel per curve, and a line for each figure, and for CPU with the garbage collector', () => {
    const chart = growthChart({ node: 'v20.1.0', points: pointsWith({}) }, themes.light)
    expect(chart.match(/<g /g)).toHaveLength(7)
    expect(chart.match(/<polyline /g)).toHaveLength(7 + 4 + 3)
  })
})
