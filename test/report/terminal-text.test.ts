import { assert, boolean, double, integer, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatReport } from '../../src/report/index.ts'
import { textWidth } from '../../src/report/terminal-text.ts'
import { aChild, aReport, aStep, aTask, lineWith } from './samples.ts'

describe('untrusted text in a report', () => {
  const evil = '\x1b[2Jgone\x07\r\n\x9b31mred\u202eleft\u2028line\u{e0041}'

  it('cannot control the terminal', () => {
    const error = { name: evil, message: evil, code: evil }
    const child = aReport({
      name: evil,
      reason: evil,
      by: evil,
      phases: [evil],
      tasks: [aTask(evil, { phase: evil, error })],
    })
    const report = aReport({
      name: evil,
      reason: evil,
      by: evil,
      askedAt: evil,
      phases: [evil],
      tasks: [aTask(evil, { outcome: 'failed', phase: evil, error })],
      children: [aChild(child)],
      alsoAsked: [{ reason: evil, by: evil, at: 1 }],
      problems: [{ where: evil, at: -1, error }],
    })
    const printed = formatReport(report, { width: 400 })
    expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(printed).toContain(String.raw`\x1b[2Jgone\x07\r\n\x9b31mred\u{202e}left\u{2028}line\u{e0041}`)
  })

  it('keeps the columns aligned in any script', () => {
    const names = ['plain', '通話の録音', '전화', '👩‍👩‍👧‍👦 family', '❤️', 'e\u0301te\u0301', '🇫🇷', 'ｗｉｄｅ']
    const lines = formatReport(aReport({ tasks: names.map((name) => aTask(name)) })).split('\n')
    const rows = lines.filter((line) => line.includes('cancelled') && line.includes('ms'))
    const widths = rows.map((line) => textWidth(line.slice(0, line.indexOf('━'))))
    expect(new Set(widths).size).toBe(1)
    expect(lines).toContainEqual(expect.stringContaining('    👩‍👩‍👧‍👦 family  '))
    expect(textWidth('通話')).toBe(4)
    expect(textWidth('👩‍👩‍👧‍👦')).toBe(2)
  })

  it.each([
    ['half a character', 'a\ud800b', /^ {4}a\ufffdb {2}/],
    ['many accents on one letter', `e${'\u0301'.repeat(900)}`, /^ {4}e\u0301{3} {2}/],
    ['a chain of joined emoji', '👩\u200d'.repeat(5_000), /^.{400,1100}$/],
  ])('stays readable if it has %s', (_, name, expected) => {
    expect(lineWith('cancelled', formatReport(aReport({ tasks: [aTask(name)] })))).toMatch(expected)
  })

  it('is shortened when it is too long', () => {
    const printed = formatReport(
      aReport({ tasks: [aTask('a name that is '.repeat(9)), aTask('録音'.repeat(40))] }),
    )
    expect(lineWith('a name', printed)).toMatch(/^ {4}a name that is .*… +━+ +cancelled/)
    expect(lineWith('録音', printed)).toMatch(/^ {4}(録音)+録?… +━+ +cancelled/)
  })

  it('never makes a line wider than requested', () => {
    const text = string({ unit: 'binary', maxLength: 60 })
    const totals = { ended: 1e6, cancelled: 1e6, failed: 1e6, abandoned: 1e6, closer: 1e6 }
    const time = double({ min: 0, max: 1e7, noNaN: true })
    const width = integer({ min: 60, max: 130 })
    assert(
      property(text, time, time, width, boolean(), (name, took, deadline, columns, ascii) => {
        const error = { name, message: name.repeat(9), code: name }
        const tasks = [
          aTask(name, { outcome: 'failed', at: took / 2, error }),
          aTask(name, { kind: 'opening', phase: 'resources', at: took }),
        ]
        const steps = [aStep(name, { kind: 'deferred', outcome: 'pending', at: took / 3, took: took / 2 })]
        const problems = [{ where: name, at: -took, error }]
        const parts = { name, reason: name, by: name, took, deadline, tasks, steps, problems, totals }
        let report = aReport({ ...parts, clean: false })
        for (let depth = 0; depth < 9; depth++) {
          const children = [aChild(report, { askedAt: -took / 7 })]
          report = aReport({ ...parts, children, alsoAsked: [{ reason: name, at: took }] })
        }
        const lines = formatReport(report, { width: columns, ascii }).split('\n')
        expect(lines.filter((line) => textWidth(line) > columns || line !== line.trimEnd())).toEqual([])
      }),
      { seed: 1, numRuns: 25 },
    )
  })
})
