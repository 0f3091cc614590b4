import { describe, expect, it } from 'vitest'
import config, { isolated } from '../../vitest.config.ts'
import { sources } from './tree.ts'

describe('the configuration of the tests', () => {
  const projects = config.test?.projects ?? []

  it('[SI3] installs the check for leaks in every project', () => {
    expect(config.test?.setupFiles).toEqual(['test/setup.ts'])
    expect(projects).toHaveLength(2)
    for (const project of projects) {
      expect(project).toMatchObject({ extends: true })
      expect(project).not.toHaveProperty('test.setupFiles')
    }
  })

  it('isolates every test file that mocks modules, patches globals or collects garbage', () => {
    const patterns = isolated.map(regularExpression)
    const invasive = sources(/^(src|test)\/.*\.test\.ts$/)
      .filter(({ text }) => /^(vi\.mock\(|setFlagsFromString\(|import '.*guard\/install\.ts')/m.test(text))
      .map(({ path }) => path)
    expect(invasive.length).toBeGreaterThan(10)
    expect(invasive.filter((path) => !patterns.some((pattern) => pattern.test(path)))).toEqual([])
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
