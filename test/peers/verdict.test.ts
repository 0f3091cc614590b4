import { describe, expect, it } from 'vitest'
import { failuresOf, type Column, type Run } from '../../bench/peers/case.ts'
import { problemsOf, summaryOf, type Row } from '../../bench/peers/verdict.ts'

const well = (column: Column): Run => ({
  column,
  settled: 'resolved',
  took: 500,
  events: 1,
  left: { after1s: 0, after6s: 0 },
  opened: { afterAsk: 0, afterEnd: 0 },
  goesOn: false,
  exit: { by: 'itself', after: 1_100 },
})

const hung = (column: Column): Run => ({
  ...well(column),
  settled: 'hung',
  took: 10_000,
  events: 0,
  left: { after1s: 1, after6s: 1 },
  exit: { by: 'force', after: 6_000 },
})

const row = (runs: Row['runs']): Row => ({
  framework: { name: 'any', title: 'Any', packages: [], vendors: {} },
  case: { name: 'stuck', about: 'a hook never returns', shows: ['hangs', 'socket left'] },
  runs,
})

describe('the table of peers', () => {
  it('accepts a case whose plain run fails as expected, and whose other runs end well', () => {
    const rows = [row({ plain: hung('plain'), guarded: well('guarded'), ours: well('ours') })]
    expect(rows.flatMap(problemsOf)).toEqual([])
    expect(JSON.stringify(summaryOf(rows))).toBe(
      '{"cases":1,"plain":{"hung":1,"socketsLeft":1},' +
        '"guarded":{"hung":0,"socketsLeft":0,"openedAfterClose":0},"ours":{"hung":0,"socketsLeft":0}}',
    )
  })

  it('fails a case whose plain run does not show the expected failures', () => {
    const one = row({ plain: well('plain'), guarded: well('guarded'), ours: well('ours') })
    expect(problemsOf(one)).toEqual([
      'plain: does not show the expected failure: hangs',
      'plain: does not show the expected failure: socket left',
    ])
  })

  it('fails a case whose guarded run ends badly, or that the harness cannot run', () => {
    const one = row({ plain: hung('plain'), guarded: hung('guarded'), ours: new Error('no port') })
    expect(problemsOf(one)).toEqual([
      'guarded: hangs',
      'guarded: no event',
      'guarded: socket left',
      'guarded: process stays',
      'ours: no port',
    ])
  })

  it.each<[string, Partial<Run>]>([
    ['slow', { took: 6_500 }],
    ['rejects', { settled: 'rejected' }],
    ['no event', { events: 2 }],
    ['opens after close', { opened: { afterAsk: 2, afterEnd: 1 } }],
    ['work goes on', { goesOn: true }],
    ['process stays', { exit: { by: 'itself', after: 5_000 } }],
    ['process crashes', { exit: { by: 'crash', after: 10 } }],
  ])('recognises the failure: %s', (failure, difference) => {
    expect(failuresOf({ ...well('plain'), ...difference })).toEqual([failure])
  })
})
