import { describe, expect, it } from 'vitest'
import { machines } from './machines.ts'

describe.each(Object.entries(machines))('the %s machine', (_, cases) => {
  it.each(cases.map((each) => [each.name, each] as const))(
    '[EX3] breaks no rule in any order of events: %s',
    (_name, { depth, explore }) => {
      const found = explore()
      expect(found.complete || found.depth === depth).toBe(true)
    },
  )
})
