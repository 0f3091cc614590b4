import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { places } from './places.ts'
import { paths, read, root } from './tree.ts'

/** Code that the linter must refuse, with exactly one finding each. */
const bad: readonly (readonly [rule: string, text: string])[] = [
  ['no-restricted-globals', 'setTimeout(() => {}, 1)'],
  ['no-restricted-globals', 'setInterval(() => {}, 1)'],
  ['no-restricted-globals', 'setImmediate(() => {})'],
  ['no-restricted-globals', 'export const a = performance.now()'],
  ['no-restricted-globals', `export const a = new WebSocket('wss://example.com')`],
  ['no-restricted-properties', 'export const a = Date.now()'],
  ['no-restricted-properties', 'export const a = Math.random()'],
  ['no-restricted-properties', 'export const a = await Promise.race([])'],
  ['no-restricted-properties', 'export const a = AbortSignal.timeout(1)'],
  ['no-restricted-properties', `globalThis['setTimeout'](() => {}, 1)`],
  ['no-restricted-properties', 'export const { now } = Date'],
  ['no-restricted-imports', `export { WebSocket } from 'ws'`],
  ['no-restricted-imports', `export { setTimeout } from 'node:timers/promises'`],
  ['no-restricted-imports', `export { setTimeout } from 'timers'`],
  ['no-restricted-imports', `export const a = await import('node:timers')`],
  ['no-floating-promises', 'const f = async () => 1\nexport const a = () => {\n  f()\n}'],
  ['no-floating-promises', 'const f = async () => 1\nexport const a = () => {\n  void f()\n}'],
  ['no-misused-promises', 'const f = async () => true\nexport const a = () => (f() ? 1 : 2)'],
  ['no-misused-promises', 'export const a = () => [1].forEach(async () => {})'],
  ['no-explicit-any', 'export const a = (b: any) => String(b)'],
  [
    'switch-exhaustiveness-check',
    [
      `export function a(b: 'c' | 'd'): void {`,
      '  switch (b) {',
      `    case 'c':`,
      '      console.log(b)',
      '  }',
      '}',
    ].join('\n'),
  ],
]

const inPlace: readonly (readonly [path: string, text: string])[] = [
  ['src/scope/clock.ts', 'setTimeout(() => {}, Date.now() - performance.now())'],
  ['src/scope/random.ts', 'export const a = Math.random()'],
  ['src/testing/drain.ts', 'setImmediate(() => {})'],
  ['test/sim/summary.ts', 'export const a = performance.now()'],
  ['bench/deep/a.ts', `import 'node:timers'\n\nsetTimeout(() => {}, Date.now())`],
  ['tools/a.ts', 'setTimeout(() => {}, performance.now())'],
  ['src/session/fine.ts', 'export const a = Math.max(1, 2)'],
]

// Neighbours of places, and tests, have no exceptions.
const nearPlaces = ['src/scope/clock.test.ts', 'src/session/clock.ts', 'test/sim/clock.ts', 'src/tools/a.ts']

const badPath = (index: number): string => `src/session/bad-${index}.ts`
const files: ReadonlyMap<string, string> = new Map([
  ...bad.map(([, text], index) => [badPath(index), text] as const),
  ...nearPlaces.map((path) => [path, 'setTimeout(() => {}, 1)'] as const),
  ...inPlace,
])

let folder = ''
let findings: ReadonlyMap<string, string[]> = new Map()

// A folder with the settings of the repository and the files above. The linter runs once for all tests.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-lint-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  for (const path of ['.oxlintrc.json', 'tsconfig.json', 'package.json']) write(path, read(path))
  for (const [path, text] of files) write(path, `${text}\n`)
  findings = await lint(folder)
}, 30_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

interface Output {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[]
  readonly number_of_files: number
}

/** The broken rules, by file. */
async function lint(cwd: string): Promise<Map<string, string[]>> {
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
  const text = await new Promise<string>((resolve) => {
    // Other tests put settings of the linter into `node_modules/.cache`, and it would look for them there.
    const args = [oxlint, '--format', 'json', '--disable-nested-config']
    // The linter exits with 1 if it has findings.
    execFile(process.execPath, args, { cwd }, (_, stdout) => resolve(stdout))
  })
  const output: Output = JSON.parse(text)
  expect(output.number_of_files).toBe(files.size)
  const found = new Map<string, string[]>()
  for (const { code, filename } of output.diagnostics) {
    const path = filename.replaceAll('\\', '/')
    found.set(path, [...(found.get(path) ?? []), code.replace(/^\w+\((.*)\)$/, '$1')])
  }
  return found
}

describe('the linter', () => {
  it.each(bad.map(([rule, text], index) => [rule, text, badPath(index)] as const))(
    'enforces %s: %s',
    (rule, _, path) => {
      expect(findings.get(path)).toEqual([rule])
    },
  )

  it.each(inPlace)('accepts %s', (path) => {
    expect(findings.get(path)).toBeUndefined()
  })

  it.each(nearPlaces)('makes no exception for %s', (path) => {
    expect(findings.get(path)).toEqual(['no-restricted-globals'])
  })
})

describe('the settings of the linter', () => {
  interface Settings {
    readonly ignorePatterns: readonly string[]
    readonly overrides: readonly { readonly files: readonly string[]; readonly rules: object }[]
  }
  const settings: Settings = JSON.parse(read('.oxlintrc.json').replaceAll(/^\s*\/\/.*$/gm, ''))

  it('make exceptions only in places, and only of the rules about powers', () => {
    const globs = settings.overrides.flatMap((override) => override.files)
    const expected = places.map(({ path }) => (path.endsWith('/') ? `${path}**` : path))
    expect(globs.toSorted()).toEqual(expected.toSorted())
    const rules = settings.overrides.flatMap((override) => Object.keys(override.rules))
    expect(rules.filter((rule) => !rule.startsWith('no-restricted-'))).toEqual([])
  })

  it('apply to the whole repository', () => {
    expect(settings.ignorePatterns).toEqual(['dist/**', 'node_modules/**'])
    expect(paths().filter((path) => /(^|\/)(\.?oxlint(rc)?|\.eslint)[^/]*$/.test(path))).toEqual([
      '.oxlintrc.json',
    ])
  })
})
