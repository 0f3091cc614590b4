import { describe, expect, it } from 'vitest'
import config, { guarded, isolated } from '../../vitest.config.ts'
import { sources } from './tree.ts'

describe('the configuration of the tests', () => {
  const projects = config.test?.projects ?? []

  it('[SI3] installs the check for leaks in every project', () => {
    expect(config.test?.setupFiles).toEqual(['test/setup.ts'])
    expect(projects).toHaveLength(3)
    for (const project of projects) {
      expect(project).toMatchObject({ extends: true })
      expect(project).not.toHaveProperty('test.setupFiles')
    }
  })

  it.each([
    [
      'mocks modules or collects garbage',
      [...isolated, ...guarded],
      /^(vi\.mock\(|setFlagsFromString\()/m,
      3,
    ],
    ['patches globals for good', guarded, /^import '.*guard\/install\.ts'/m, 5],
  ])('separates every test file that %s', (_, globs, invasive, atLeast) => {
    const patterns = globs.map(regularExpression)
    const files = sources(/^(src|test)\/.*\.test\.ts$/).filter(({ text }) => invasive.test(text))
    expect(files.length).toBeGreaterThan(atLeast)
    expect(files.filter(({ path }) => !patterns.some((pattern) => pattern.test(path)))).toEqual([])
  })
})

/** A glob with `**`, `*` and `{a,b}` as a regular expression. */
function regularExpression(glob: string): RegExp {
  const parts: Readonly<Record<string, string>> = {
    '**/': '(.*/)?',
    '*': '[^/]*',
    '{': '(',
    ',': '|',
    '}': ')',
  }
  return new RegExp(
    `^${glob.replaceAll('.', '\\.').replaceAll(/\*\*\/|[*{,}]/g, (part) => parts[part] ?? '')}$`,
  )
}
