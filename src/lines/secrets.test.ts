import { describe, expect, it } from 'vitest'
import { newKey } from './secrets.ts'

describe('a key', () => {
  it('[HO30] is never taken for an option of a command, whose argument it may be', () => {
    const keys = Array.from({ length: 1_000 }, newKey)
    expect(keys.filter((key) => !/^[0-9a-f]{32}$/.test(key))).toEqual([])
    expect(new Set(keys).size).toBe(1_000)
  })
})
