import { describe, expect, it } from 'vitest'
import { expectedOf } from './expected.ts'

const matches = (text: string, said: string): boolean => expectedOf(text).matches(said)

describe('what an agent is expected to say', () => {
  it.each([
    ['nine to six', 'Today we are open from Nine to six.'],
    ["We're open", 'were open'],
    ['It is 9:30', 'it is 9 30 now'],
    ['one two', 'One,\ntwo.'],
    ['größer', 'Größer!'],
    ['/nine|9/', 'from nine'],
    ['/^it is \\d+:\\d\\d [ap]m\\.$/im', 'Hello!\nIt is 7:48 PM.'],
  ])('[TM2] %s is found in: %s', (text, said) => {
    expect(matches(text, said)).toBe(true)
  })

  it.each([
    ['nine to six', 'from nineteen to sixteen'],
    ['nine', 'canine'],
    ['/Nine/', 'nine'],
  ])('[TM2] %s is not found in: %s', (text, said) => {
    expect(matches(text, said)).toBe(false)
  })

  it('[TM2] is found again, also by an expression with the flag g', () => {
    const { matches: found } = expectedOf('/nine/g')
    expect([found('nine'), found('nine')]).toEqual([true, true])
  })

  it('[TM2] must have words, and be a regular expression that can be read', () => {
    expect(() => expectedOf(' … ')).toThrow('--expect needs words')
    expect(() => expectedOf('/(/')).toThrow('--expect /(/ is not a regular expression')
  })
})
