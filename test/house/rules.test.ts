import { describe, expect, it } from 'vitest'

import { disagreements, idsOf, titlesOf } from './rules.ts'
import { read, sources } from './tree.ts'

const spec = ['# Rules', '- **AA1** One.', '- **AA2** Two,', '  as in **BB9**.', '- **AA3** Three.'].join(
  '\n',
)

const check = (text: string, notBuilt = ''): string[] =>
  disagreements(spec, [{ path: 'test/a.test.ts', text }], notBuilt)

describe('rules and tests', () => {
  it('agree if each rule has a test or is listed as not built', () => {
    expect(check(`it('[AA1] one', f)\ntest('[AA2] two', f)`, '# not yet\nAA3 # soon\n')).toEqual([])
  })

  it('disagree about a rule without a test', () => {
    expect(check(`it('[AA1] one', f)`, 'AA3')).toEqual(['AA2 has no test whose title starts with [AA2]'])
  })

  it('disagree about a test without a rule', () => {
    expect(check(`it('[AA4] four', f)`, 'AA1\nAA2\nAA3')).toEqual([
      'test/a.test.ts:1 names AA4, which is not in SPEC.md',
    ])
  })

  it('disagree about a rule that is listed and tested', () => {
    expect(check(`it('[AA1] one', f)`, 'AA1\nAA2\nAA3')).toEqual([
      'AA1 is listed as not built and has a test',
    ])
  })

  it('disagree about a listed rule that does not exist, or is listed twice', () => {
    expect(check('', 'AA1\nAA2\nAA2\nAA3\nAA4')).toEqual([
      'AA2 is listed twice as not built',
      'AA4 is listed as not built and is not in SPEC.md',
    ])
  })

  it('disagree about an id that two rules have', () => {
    expect(disagreements('- **AA1** One.\n- **AA1** Two.', [], 'AA1')).toEqual(['AA1 is in SPEC.md twice'])
  })

  it('are connected by every id at the start of a title, and by none in its middle', () => {
    expect(check(`it('[AA1] [AA2][AA3] all', f)`)).toEqual([])
    expect(check(`it('as [AA1] says', f)`, 'AA2\nAA3')).toHaveLength(1)
  })

  it.each([`it('[aa1] one', f)`, `it('[AA1, AA2] both', f)`, 'it(`[${id}] any`, f)'])(
    'disagree about a malformed title: %s',
    (text) => {
      expect(check(text, 'AA1\nAA2\nAA3')).toHaveLength(1)
    },
  )

  it('are not connected by skipped tests', () => {
    const skipped = [
      `it.skip('[AA1] one', f)`,
      `it.todo('[AA1] one')`,
      `describe.skip('a', () => it('[AA1]', f))`,
    ]
    for (const text of skipped) expect(check(text, 'AA2\nAA3')).toHaveLength(1)
  })
})

describe('titles of tests', () => {
  it.each([
    `it('[AA1] one', f)`,
    `it("[AA1] one", { timeout: 5 }, f)`,
    'it(`[AA1] one ${more}`, f)',
    `test('[AA1] one', f)`,
    `describe('[AA1] one', f)`,
    `describe('outer', () => { describe('inner', () => { it('[AA1] one', f) }) })`,
    `it.each([1, 2])('[AA1] one %s', f)`,
    'it.each`a\n${1}`(`[AA1] one $a`, f)',
    `it.concurrent.for(cases)('[AA1] one', f)`,
    `describe.skipIf(slow)('[AA1] one', f)`,
    `simulatedTest('[AA1] one', f)`,
    `for (const a of b) it('[AA1] one', f)`,
  ])('are found in: %s', (text) => {
    expect(check(text, 'AA2\nAA3')).toEqual([])
  })

  it.each([
    `// it('[AA1] one', f)`,
    `const a = "it('[AA1] one', f)"`,
    `log('[AA1] one')`,
    `commit('[AA1] one')`,
  ])('are not found in: %s', (text) => {
    expect(titlesOf({ path: 'a.test.ts', text })).toEqual([])
  })
})

it('every rule of endwell has a test, or is listed as not built', () => {
  const tests = sources(/^((src|test)\/.*\.test\.ts|studio\/.*\.test\.tsx?)$/)
  const rules = read('SPEC.md')
  expect(idsOf(rules)).toContain('SC1')
  expect(tests.map(({ path }) => path)).toContain('test/house/rules.test.ts')
  expect(disagreements(rules, tests, read('test/rules-not-built.txt'))).toEqual([])
})
