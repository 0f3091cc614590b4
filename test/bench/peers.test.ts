import { describe, expect, it } from 'vitest'
import type { Bench } from '../../bench/bench.ts'
import { lowerQuartile } from '../../bench/median.ts'
import { peers } from '../../bench/peers/cost/index.ts'
import { installedFolders } from '../../bench/peers/cost/install-size.ts'
import { mediansOf } from '../../bench/rounds.ts'
import { table } from '../../bench/table.ts'
import { judge } from '../../bench/verdict.ts'
import { peersChart } from '../../tools/pictures/peers-chart.ts'
import { themes } from '../../tools/pictures/svg.ts'

const contestant = { load: () => Promise.reject(new Error('not loaded here')) }

const bench: Bench = {
  summary: 'Two pairs.',
  notes: ['A note.'],
  figures: {
    close: { title: 'close', unit: 'ms', digits: 3 },
    interrupt: { title: 'interrupt', unit: 'ms', digits: 3 },
  },
  contestants: { ours: contestant, theirs: contestant, 'our other': contestant, 'their other': contestant },
  pairs: [
    { title: 'models', ours: 'ours', theirs: 'theirs' },
    { title: 'sockets', ours: 'our other', theirs: 'their other' },
  ],
  absent: { 'their other': { interrupt: 'it has no such call' } },
  marks: [
    { figure: 'close', against: 'theirs', timesCheaper: 100 },
    { figure: 'close', of: 'our other', against: 'their other', timesAsMuch: 3 },
    { figure: 'close', of: 'our other', against: 'their other', timesCheaper: 1 },
  ],
}

const samples = {
  ours: [{ close: 0.05, interrupt: 0.1 }],
  theirs: [{ close: 500, interrupt: 0.25 }],
  'our other': [{ close: 4, interrupt: 0.5 }],
  'their other': [{ close: 2 }],
}

describe('a benchmark of pairs', () => {
  const verdict = judge(bench, samples)
  const printed = table(bench, mediansOf(samples), verdict, { theirs: '1.9.0' })
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, ' | '))

  it('compares each peer with the contestant that does the same work', () => {
    expect(verdict.ratios).toEqual({
      close: { theirs: 10_000, 'their other': 0.5 },
      interrupt: { theirs: 2.5 },
    })
    expect(verdict.marks.map(({ got, ok }) => [got, ok])).toEqual([
      [10_000, true],
      [2, true],
      [0.5, false],
    ])
  })

  it('prints one table per pair, with versions, ratios, and a reason for what a peer does not have', () => {
    expect(printed).toContain('models | ours | theirs 1.9.0 | endwell takes')
    expect(printed).toContain('close, ms | 0.050 | 500.000 | 10,000 times less')
    expect(printed).toContain('close, ms | 4.000 | 2.000 | 2.0 times more')
    expect(printed).toContain('n/a | interrupt: it has no such call')
    expect(printed.at(-1)).toBe('not ok: 1 of 3 targets missed')
  })
})

describe('the benchmark of peers', () => {
  it('has a target only for figures and contestants that it measures', () => {
    for (const mark of peers.marks) {
      expect(Object.keys(peers.figures)).toContain(mark.figure)
      if ('against' in mark) expect(Object.keys(peers.contestants)).toContain(mark.against)
      if ('of' in mark) expect(Object.keys(peers.contestants)).toContain(mark.of)
    }
  })

  it('counts what npm installs: nested packages and required peers, each once', () => {
    const packages = {
      'node_modules/a': {
        dependencies: { b: '1' },
        peerDependencies: { p: '1', q: '1' },
        peerDependenciesMeta: { q: { optional: true } },
      },
      'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
      'node_modules/b': {},
      'node_modules/c': { dependencies: { a: '1' } },
      'node_modules/p': {},
      'node_modules/q': {},
    }
    expect(installedFolders({ packages }, ['a'])).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/c',
      'node_modules/p',
    ])
  })

  it('takes the lower quartile of short times', () => {
    expect(lowerQuartile([9, 1, 2, 100, 3])).toBe(2)
    expect(lowerQuartile([4])).toBe(4)
  })
})

describe('the chart of peers', () => {
  const medians = { endwell: { close: 0.1, heap: 18 }, '@livekit/agents': { close: 500, heap: 180 } }
  const chart = peersChart(
    { node: 'v20.1.0', versions: { '@livekit/agents': '1.9.0' }, medians },
    themes.dark,
  )

  it('has two bars per figure that both have, on a logarithmic scale', () => {
    const widths = [...chart.matchAll(/<rect x="200" y="\d+" width="([\d.]+)" height="13"/g)].map(
      ([, width]) => Number(width),
    )
    // Of the longest possible bar, 470 px: 5,000 times are 1 + 3.7 decades, once is one decade, ten times are two.
    expect(widths).toEqual([100, 470, 100, 200].map((width) => expect.closeTo(width, 0) as number))
    expect(chart).toContain('>500 ms</text>')
    expect(chart).toContain('@livekit/agents 1.9.0')
    expect(chart).toContain('Node 20.1.0')
  })
})
