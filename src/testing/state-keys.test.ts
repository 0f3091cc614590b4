import { describe, expect, it } from 'vitest'
import { stateKeys, type KeyPart } from './index.ts'

describe('stateKeys', () => {
  const values: readonly KeyPart[] = [
    undefined,
    false,
    true,
    -5,
    -4,
    -1,
    0,
    1,
    7,
    8,
    100,
    1.5,
    NaN,
    '',
    'a',
    'ab',
    '1',
  ]

  it('differs if and only if a part differs', () => {
    const keyOf = stateKeys()
    const keys = new Set<string>()
    for (const one of values)
      for (const two of values) for (const three of values) keys.add(keyOf([one, two, three]))
    expect(keys.size).toBe(values.length ** 3)
    expect(keyOf([1, 'a', undefined])).toBe(keyOf([1, 'a', undefined]))
  })

  it('differs for more values than it can number', () => {
    const keyOf = stateKeys()
    const keys = new Set<string>()
    for (let value = 0; value < 20_000; value++) keys.add(keyOf([value, `text ${value}`, true]))
    expect(keys.size).toBe(20_000)
  })
})
