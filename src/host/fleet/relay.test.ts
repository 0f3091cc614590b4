import { expect, it } from 'vitest'
import { hopsOf } from './relay.ts'

it.each([
  [undefined, 0],
  ['2', 2],
  ['-1000000', 0],
  ['many', 0],
  ['-Infinity', 0],
])('a request whose header says %j was relayed %i times', (said, hops) => {
  const headers = said === undefined ? {} : { 'x-endwell-relayed': said }
  expect(hopsOf({ headers })).toBe(hops)
})
