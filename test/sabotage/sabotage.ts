import { describe, expect, it } from 'vitest'
import { findings, lifecycle, type Check, type Make } from '../../src/testing/index.ts'

/** What is hidden in a part that is otherwise right, the part, and the checks that must find it out. */
export type Saboteur<Subject> = [what: string, make: Make<Subject>, found: string[]]

/** The checks of a suite without those that every suite begins with: those have saboteurs of their own. */
export function ownChecks<Subject>(suite: readonly Check<Subject>[]): Check<Subject>[] {
  return suite.slice(lifecycle(() => Promise.resolve()).length)
}

/** Tests a suite: every saboteur is found out, and every check finds one. */
export function describeSabotage<Subject>(
  kind: string,
  checks: readonly Check<Subject>[],
  saboteurs: Saboteur<Subject>[],
): void {
  describe(`the suite for ${kind}`, () => {
    const caught = new Set<string>()

    it.each(saboteurs)('finds out %s', async (_, make, expected) => {
      const failed = (await findings(checks, make)).flatMap((each) => ('error' in each ? [each.name] : []))
      for (const name of failed) caught.add(name)
      expect(failed).toEqual(expect.arrayContaining(expected))
    })

    it('has no check that cannot fail', () => {
      expect(checks.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([])
    })
  })
}
