import { describe, expect, it } from 'vitest'
import { findings, lifecycle, type Check, type Make } from '../../src/testing/index.ts'

/** A defect, a part that is correct except for the defect, and the checks that must fail. */
export type Defect<Subject> = [name: string, make: Make<Subject>, failingChecks: string[]]

/** The checks of a suite without the lifecycle checks, which are tested with the suite for VADs. */
export function ownChecks<Subject>(suite: readonly Check<Subject>[]): Check<Subject>[] {
  return suite.slice(lifecycle(() => Promise.resolve()).length)
}

/** Tests a suite: it detects every defect, and every check detects at least one. */
export function describeSabotage<Subject>(
  kind: string,
  checks: readonly Check<Subject>[],
  defects: Defect<Subject>[],
): void {
  describe(`the suite for ${kind}`, () => {
    const caught = new Set<string>()

    it.each(defects)('detects %s', async (_, make, expected) => {
      const failed = (await findings(checks, make)).flatMap((each) => ('error' in each ? [each.name] : []))
      for (const name of failed) caught.add(name)
      expect(failed).toEqual(expect.arrayContaining(expected))
    })

    it('has no check that never fails', () => {
      expect(checks.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([])
    })
  })
}
