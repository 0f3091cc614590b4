import { describe, expect, it } from 'vitest'
import { fits, textFits } from './fits.ts'

describe('textFits', () => {
  it('accepts a part of the text, an expression, a function, or undefined', () => {
    expect(textFits('Monday at ten', 'at ten')).toBe(true)
    expect(textFits('Monday at ten', 'at nine')).toBe(false)
    expect(textFits('Monday at ten', /^mon/i)).toBe(true)
    expect(textFits('Monday at ten', (text) => text.length > 100)).toBe(false)
    expect(textFits('', undefined)).toBe(true)
  })

  it('ignores the state of a global expression', () => {
    const global = /Monday/g
    expect([textFits('Monday', global), textFits('Monday', global)]).toEqual([true, true])
  })
})

describe('fits', () => {
  it.each([
    [{ day: 'Monday', hour: 10 }, { day: 'Monday' }],
    [{ day: 'Monday' }, {}],
    [{ slot: { day: 'Monday', free: true } }, { slot: { day: /^Mon/ } }],
    [{ days: ['Monday', { hour: 10, minute: 5 }] }, { days: [/day$/, { hour: 10 }] }],
    [{ people: 4 }, { people: (count: unknown) => Number(count) > 3 }],
    [null, null],
    ['booked', 'booked'],
    [new Date(5), new Date(5)],
    [{ note: undefined }, { note: undefined }],
  ])('accepts %j for the pattern %j', (value, pattern) => {
    expect(fits(value, pattern)).toBe(true)
  })

  it.each([
    [{ day: 'Monday' }, { day: 'Tuesday' }],
    [{ day: 'Monday' }, { day: 'Mon' }],
    [{ day: 'Monday' }, { day: 'Monday', hour: 10 }],
    [{}, { note: undefined }],
    [{ days: ['Monday', 'Tuesday'] }, { days: ['Monday'] }],
    [{ days: 'Monday' }, { days: ['Monday'] }],
    ['Monday', { length: 6 }],
    [null, {}],
    [{ people: 4 }, { people: '4' }],
    [4, /4/],
    [new Date(5), new Date(6)],
  ])('rejects %j for the pattern %j', (value, pattern) => {
    expect(fits(value, pattern)).toBe(false)
  })
})
