import { describe, expect, it } from 'vitest'

import { beyond } from './ratchet.ts'

const findings = [
  { room: 'src/link', text: 'one' },
  { room: 'src/link', text: 'two' },
]

describe('a ratchet', () => {
  it('accepts as many findings as a room is allowed', () => {
    expect(beyond([], {})).toEqual([])
    expect(beyond(findings, { 'src/link': 2 })).toEqual([])
  })

  it('shows all findings of a room that has more', () => {
    expect(beyond(findings, {})).toEqual(['one', 'two'])
    expect(beyond(findings, { 'src/link': 1, 'src/parts': 0 })).toEqual(['one', 'two'])
  })

  it('asks for a lower number where a room has fewer', () => {
    expect(beyond(findings, { 'src/link': 3 })).toEqual(['src/link: 3 allowed, 2 found. Lower the number.'])
    expect(beyond([], { 'src/link': 1 })).toEqual(['src/link: 1 allowed, 0 found. Lower the number.'])
  })
})
