import { describe, expect, it } from 'vitest'
import { linkTo, linkToList, routeOf } from '../../studio/src/shared/route.ts'
import { ageText, agoText, clockText, costText, retriesText } from '../../studio/src/shared/texts.ts'

describe('an address', () => {
  it.each([
    ['', { view: 'call' }],
    ['#/', { view: 'call' }],
    ['#/nonsense', { view: 'call' }],
    ['#/sessions', { view: 'sessions', search: '' }],
    [linkToList('filter=live'), { view: 'sessions', search: 'filter=live' }],
    ['#/compare/a/b', { view: 'comparison', ids: ['a', 'b'] }],
    ['#/sessions/abc', { view: 'session', id: 'abc' }],
    [linkTo('a/b c'), { view: 'session', id: 'a/b c' }],
    ['#/sessions/%', { view: 'session', id: '%' }],
  ])('%s opens its view', (hash, route) => {
    expect(routeOf(hash)).toEqual(route)
  })
})

describe('texts', () => {
  it('show durations, ages and times in units that people read', () => {
    expect([0, 7_900, 760_000, 3_723_000].map(clockText)).toEqual(['0:00', '0:07', '12:40', '1:02:03'])
    expect([0, 99_000, 100_000, 7_200_000].map(ageText)).toEqual(['0 s', '99 s', '1 min', '2 h'])
    expect([0, 20_000, 120_000].map((ago) => agoText(1_000_000 - ago, 1_000_000))).toEqual([
      'just now',
      '20 s ago',
      '2 min ago',
    ])
  })

  it('[CL15] show a cost, and which models it lacks', () => {
    expect(costText({ total: 0.042_127_9, models: { llm: 0.042_127_9 }, unpriced: [] })).toBe('0.04213')
    expect(costText({ total: 12, models: { llm: 12 }, unpriced: ['deepgram', 'rime'] })).toBe(
      '12 without deepgram, rime',
    )
  })

  it('[CL15] show the currency of a cost, and never 0 for a cost that is not known', () => {
    const dollars = { models: { llm: 1 }, unpriced: [], currency: 'USD' }
    expect([0, 0.0123, 1.239].map((total) => costText({ ...dollars, total }))).toEqual([
      '$0.00',
      '$0.0123',
      '$1.24',
    ])
    expect(costText({ total: 0, models: {}, unpriced: ['llm'], currency: 'USD' })).toBe('unknown')
  })

  it('count retries', () => {
    expect([1, 2].map(retriesText)).toEqual(['1 retry', '2 retries'])
  })
})
