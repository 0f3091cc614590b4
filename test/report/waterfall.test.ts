import { describe, expect, it } from 'vitest'
import { formatReport } from '../../src/report/index.ts'
import type { ScopeReport } from '../../src/scope/index.ts'
import { aChild, aReport, aStep, aTask, lineWith } from './samples.ts'

describe('the time axis', () => {
  it('draws a near deadline as one vertical line through all bars', () => {
    const tasks = [aTask('a', { at: 4_700 }), aTask('b')]
    const lines = formatReport(aReport({ took: 4_700, tasks })).split('\n')
    const drawn = lines.filter((line) => line.includes('┊'))
    expect(drawn).toHaveLength(4)
    expect(new Set(drawn.map((line) => line.indexOf('┊'))).size).toBe(1)
    expect(lines.find((line) => line.includes('deadline'))?.indexOf('deadline')).toBe(drawn[0]?.indexOf('┊'))
  })

  it('mentions a far deadline without drawing it', () => {
    const printed = formatReport(aReport({ took: 100, tasks: [aTask('a', { at: 100 })] }))
    expect(printed).toContain('─┴ ▸ deadline 5 s\n')
    expect(lineWith('  a ', printed)).toMatch(/a +━{60,} {2}cancelled/)
  })

  it.each([
    [0.4, '0 0.1 ms 0.2 ms 0.3 ms 0.4 ms'],
    [7, '0 1 ms 2 ms 3 ms 4 ms 5 ms 6 ms 7 ms'],
    [999, '0 200 ms 400 ms 600 ms 800 ms'],
    [61_000, '0 10 s 20 s 30 s 40 s 50 s 1 min'],
    [7_500_000, '0 30 min 1 h 1 h 30 min 2 h'],
  ])('has round ticks for %d ms', (took, ticks) => {
    const printed = formatReport(aReport({ took, closeTimeout: 1e9, tasks: [aTask('a')] }), { width: 100 })
    const labels = printed.split('\n').find((line) => line.trim().startsWith('0 '))
    expect(labels?.trim().replaceAll(/ +/g, ' ')).toBe(ticks)
  })
})

describe('a row of the waterfall', () => {
  it('draws shielded time differently', () => {
    const printed = formatReport(aReport({ tasks: [aTask('tool', { cancelledAt: 60, at: 100 })] }))
    expect(lineWith('tool', printed)).toMatch(/tool +┄{36,}━{24,} {2}cancelled +100 ms/)
    expect(printed).toContain('┄ shielded')
  })

  it('is ordered by begin, then by end', () => {
    const steps = [aStep('c', { at: 20 }), aStep('b', { took: 30 }), aStep('a', { took: 20 })]
    const printed = formatReport(aReport({ steps }))
    expect(printed.match(/^ {4}\w/gm)?.map((start) => start.trim())).toEqual(['a', 'b', 'c'])
  })

  it('shows its kind, unless the name needs the room', () => {
    const steps = [aStep('flush', { kind: 'deferred' })]
    expect(formatReport(aReport({ steps }))).toContain('    flush (deferred)  ')
    let report = aReport({ steps })
    for (let depth = 0; depth < 20; depth++) report = aReport({ children: [aChild(report)] })
    expect(lineWith('flush', formatReport(report, { width: 60, ascii: true }))).toMatch(/flush {2,}/)
  })

  it('marks the task that requested the close', () => {
    const printed = formatReport(aReport({ tasks: [aTask('agent', { outcome: 'closer', at: 100 })] }))
    expect(lineWith('agent', printed)).toMatch(/^ +agent +━+▸ {2}closer /)
    expect(printed).toContain('closer: requested this close itself')
  })

  it('has its error below it, in three lines at most', () => {
    const error = { name: 'Error', message: 'word '.repeat(90).trim(), code: 'LATE' }
    const tasks = [aTask('tool', { outcome: 'failed', error })]
    const lines = formatReport(aReport({ clean: false, tasks }), { width: 80 }).split('\n')
    const first = lines.findIndex((line) => line.includes('└'))
    expect(lines.slice(first - 1, first + 4)).toEqual([
      expect.stringContaining('✗   tool'),
      expect.stringMatching(/^ {6}└ Error: word( word)+$/),
      expect.stringMatching(/^ {8}word( word)+$/),
      expect.stringMatching(/^ {8}word( word)+ w…$/),
      '',
    ])
  })

  it('is listed below its phase, and phases are in the order they ran in', () => {
    const printed = formatReport(
      aReport({
        phases: ['first', 'second', 'third', 'last', 'empty'],
        tasks: [aTask('db', { kind: 'opening', phase: 'last' }), aTask('mixer', { phase: 'first' })],
        steps: [aStep('c', { phase: 'third', at: 30 }), aStep('b', { phase: 'second', at: 20 })],
      }),
    )
    const names = printed.split('\n').flatMap((line) => /^ {2,4}([a-z]\S*)( {2}|$)/.exec(line)?.[1] ?? [])
    expect(names).toEqual(['first', 'mixer', 'second', 'b', 'third', 'c', 'last'])
    expect(printed).toContain('    db (opening)  ')
  })
})

describe('many rows of the waterfall', () => {
  it('that are alike and healthy become one line, except for the slowest', () => {
    const tasks = Array.from({ length: 190 }, (_, index) => aTask(`poll ${index}`, { at: 3 }))
    const slow = ['one', 'two', 'three', 'four', 'five', 'six'].map((name, index) =>
      aTask(name, { at: 50 + index }),
    )
    const stuck = aTask('stuck', { outcome: 'abandoned', at: 100 })
    const printed = formatReport(aReport({ clean: false, tasks: [...tasks, ...slow, stuck] }))
    expect(printed.split('\n').length).toBeLessThan(22)
    expect(printed).toContain('    six ')
    expect(printed).toContain('\n    … and 190 more tasks, cancelled within 3 ms\n✗   stuck ')
    expect(printed).not.toContain('poll')
  })

  it('that went wrong are cut later, and the rest is counted with a mark', () => {
    const tasks = Array.from({ length: 60 }, (_, index) => aTask(`poll ${index}`, { outcome: 'abandoned' }))
    const printed = formatReport(aReport({ clean: false, tasks }))
    expect(printed.match(/^✗ +poll/gm)).toHaveLength(16)
    expect(printed).toContain('\n✗   … and 44 more tasks, abandoned\n')
  })

  it('of healthy children leave out what is inside them', () => {
    const inside = aReport({ tasks: [aTask('inside')] })
    const few = [1, 2, 3].map(() => aChild(inside))
    expect(formatReport(aReport({ children: few })).match(/inside/g)).toHaveLength(3)
    const printed = formatReport(aReport({ children: Array(13).fill(few[0]) }))
    expect(printed).toContain('… and 7 more scopes, clean within 100 ms')
    expect(printed).not.toContain('inside')
  })

  it('of a huge tree are cut, and the last line says so', () => {
    const bad = aReport({ clean: false, tasks: [aTask('stuck', { outcome: 'abandoned' })] })
    const nested = (depth: number): ScopeReport =>
      depth === 0 ? bad : aReport({ clean: false, children: Array(12).fill(aChild(nested(depth - 1))) })
    const printed = formatReport(nested(3))
    expect(printed.split('\n').length).toBeLessThan(520)
    expect(printed).toMatch(/\n✗ … and \d+ more rows: see the report itself\n/)
  })
})
