import { describe, expect, it } from 'vitest'
import { MenuGuard } from './menu-guard.ts'

const main = 'For sales, press one. For support, press two. To hear this again, press nine.'
const support = 'For invoices, press one. For broken devices, press two. To go back, press star.'

/** How often the agent has been at each of these menus when it presses these keys. */
function visits(...presses: readonly (readonly [heard: string, keys: string])[]): number[] {
  const guard = new MenuGuard()
  return presses.map(([heard, keys]) => guard.visit(heard, keys))
}

describe('a menu guard', () => {
  it('counts visits to the same menu, whatever is pressed there and wherever the agent was in between', () => {
    expect(visits([main, '1'], [main, '2'], [support, '*'], [main, '1'], [support, '1'])).toEqual([
      1, 2, 1, 3, 2,
    ])
  })

  it('recognises a menu that was heard in part, twice, or a little differently', () => {
    const half = 'For sales press one for support press'
    const misheard = 'four sales press 1. For support press two. To hear this again press nine'
    expect(visits([main, '1'], [half, '1'], [`${main} ${main}`, '1'], [misheard, '1'])).toEqual([1, 2, 3, 4])
  })

  it('tells menus apart although they have the words of every menu in common', () => {
    expect(visits([main, '1'], [support, '1'])).toEqual([1, 1])
    const one = 'For sales press one, for support press two.'
    const other = 'For crowns press one, for braces press two.'
    expect(visits([one, '1'], [other, '1'])).toEqual([1, 1])
    expect(visits(['Press one.', '1'], [main, '1'])).toEqual([1, 1])
    expect(visits(['Press one.', '1'], ['press one', '1'])).toEqual([1, 2])
  })

  it('counts the same keys if nothing is said in between, and takes other keys for an entry that goes on', () => {
    expect(visits([main, '1'], ['', '1'], ['', '1'])).toEqual([1, 2, 3])
    expect(visits(['Your number?', '4'], ['', '7'], ['', '1'], ['', '1'], ['', '2'])).toEqual([1, 1, 1, 2, 1])
    expect(visits([main, '1'], [support, '1'], ['', '1'])).toEqual([1, 1, 2])
  })
})
