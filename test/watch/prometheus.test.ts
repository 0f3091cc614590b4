import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { Metrics, mergeMetrics, metricsResponse } from '../../src/host/index.ts'
import { metricTable, type MetricRow } from '../../src/host/watch/metric-table.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import { read } from '../house/tree.ts'
import { followed } from './fixture.ts'

const rows: readonly MetricRow[] = Object.values(metricTable)

/** The text of a host with two workers, in which every metric has a value. */
async function exposition(): Promise<string> {
  const [one, two] = [new Metrics(), new Metrics()]
  await inVirtualTime(async (world) => {
    for (const metrics of [one, two]) {
      const { session, caller, clock, faults } = followed(world, metrics, { answers: ['Yes.'] })
      await session.start()
      caller.types('Hello')
      await clock.elapse(2_000)
      if (metrics === two) faults.set('close:stt', 'hang')
      await session.close()
    }
  })
  one.appended(1.5)
  return mergeMetrics([await one.snapshot(), await two.snapshot()])
}

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

describe('the text of /metrics', () => {
  it('[HO25] has every metric with its help, its type, its labels and its unit', async () => {
    const text = await exposition()
    for (const { name, type, help, labels } of rows) {
      expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`)
      expect(name).toMatch(type === 'counter' ? /^endwell_[a-z_]+_total$/ : /^endwell_[a-z_]+$/)
      expect(name.endsWith('_seconds')).toBe(type === 'histogram' || name.includes('_oldest_'))
      for (const label of labels) expect(label).toMatch(/^[a-z]+$/)
    }
  })

  it('[HO25] is in the format of Prometheus', async () => {
    const text = await exposition()
    expect(text.endsWith('\n')).toBe(true)
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const sample = /^[a-z_]+(\{[a-z]+="[\w .+-]*"(,[a-z]+="[\w .+-]*")*\})? (\d[\d.e+-]*|\+Inf)$/
    expect(samples.filter((line) => !sample.test(line))).toEqual([])
    // No series twice.
    const series = samples.map((line) => line.slice(0, line.lastIndexOf(' ')))
    expect(new Set(series).size).toBe(series.length)
    // Buckets are cumulative, and the last one counts all.
    const buckets = samples.filter((line) => line.startsWith('endwell_call_close_seconds_bucket'))
    const counts = buckets.map((line) => Number(line.split(' ').at(-1)))
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(buckets.at(-1)).toBe('endwell_call_close_seconds_bucket{le="+Inf"} 2')
    expect(samples).toContain('endwell_call_close_seconds_count 2')
  })

  it('[HO25] is served with the content type that Prometheus expects, and never cached', async () => {
    const response = metricsResponse('endwell_calls 0\n')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).toBe('endwell_calls 0\n')
  })

  it.skipIf(!hasPromtool)('[HO25] satisfies promtool, if it is installed', async () => {
    const input = await exposition()
    expect(execFileSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })).toBe('')
  })
})

describe('docs/observability.md', () => {
  it('[HO25] has the table of all metrics', () => {
    const page = read('docs/observability.md')
    const table = rows.map(({ name, type, labels, help }) => {
      const labelled = labels.map((label) => `\`${label}\``).join(', ')
      return `| \`${name}\` | ${type} | ${labelled === '' ? '–' : labelled} | ${help} |`
    })
    expect(page.split('\n').filter((line) => line.startsWith('| `endwell_'))).toEqual(table)
  })
})
