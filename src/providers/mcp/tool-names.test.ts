import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { ToolNames } from './tool-names.ts'

describe('tool names', () => {
  it('stay unchanged if every model accepts them', () => {
    const names = new ToolNames('')
    expect(['find-slot', 'findSlot', '_x1'].map((name) => names.take(name))).toEqual([
      'find-slot',
      'findSlot',
      '_x1',
    ])
  })

  it('are made valid and unique', () => {
    const names = new ToolNames('crm/')
    expect(['a b', 'a.b', 'a_b'].map((name) => names.take(name))).toEqual([
      'crm_a_b',
      'crm_a_b_2',
      'crm_a_b_3',
    ])
  })

  it('are valid, unique and deterministic for any input', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string({ maxLength: 80 })), (prefix, tools) => {
        const all = (): string[] => {
          const names = new ToolNames(prefix)
          return tools.map((name) => names.take(name))
        }
        const names = all()
        expect(new Set(names).size).toBe(tools.length)
        for (const name of names) expect(name).toMatch(/^[a-zA-Z_][\w-]{0,63}$/)
        expect(all()).toEqual(names)
      }),
    )
  })
})
