import { describe, expect, it } from 'vitest'
import { newKey } from './secrets.ts'

describe('a key', () => {
  it('[HO30] can be an argument of a command: it never looks like an option', () => {
    const keys = Array.from({ length: 1_000 }, newKey)
    expect(keys.filter((key) => !/^[0-9a-f]{32}$/.test(key))).toEqual([])
    expect(new Set(keys).size).toBe(1_000)
  })
})
