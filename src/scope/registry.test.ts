import { describe, expect, it } from 'vitest'
import { Registry, type Live } from './registry.ts'

const entry = (name: string): Live => ({ kind: 'timer', name })
const namesIn = (registry: Registry): string[] => registry.list().map(({ name }) => name)

describe('a registry', () => {
  it.each([0, 1, 2])('[SC17] lists its entries in order, without number %i that was removed', (index) => {
    const registry = new Registry()
    const entries = ['a', 'b', 'c'].map(entry)
    for (const each of entries) registry.add(each)
    registry.remove(entries[index]!)
    registry.remove(entries[index]!)
    registry.add(entry('d'))
    const left = ['a', 'b', 'c', 'd'].toSpliced(index, 1)
    expect(namesIn(registry)).toEqual(left)
    expect(registry.size).toBe(3)
    for (const each of registry.list()) registry.remove(each)
    expect([registry.size, registry.list()]).toEqual([0, []])
  })

  it('[SC17] has an entry once, and not while another registry has it', () => {
    const [one, other] = [new Registry(), new Registry()]
    const [moved, stays] = [entry('moved'), entry('stays')]
    one.add(moved)
    one.add(stays)
    one.add(moved)
    expect(namesIn(one)).toEqual(['stays', 'moved'])
    other.add(moved)
    expect([namesIn(one), namesIn(other)]).toEqual([['stays'], ['moved']])
    one.remove(moved)
    expect([one.size, other.size]).toEqual([1, 1])
  })
})
