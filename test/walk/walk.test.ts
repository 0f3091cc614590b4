import { describe, expect, it } from 'vitest'

import { countWalk } from './count.ts'
import { scenes } from './scenes.ts'
import { instrument } from './trace.ts'
import { walkAll, type SceneName } from './walk.ts'

describe('a walk', () => {
  it('counts how often a reader reopens a file when reading each function once, in the order of first calls', () => {
    const walk = countWalk(['a:one', 'b:two', 'a:three', 'b:two', 'c:four', 'a:one', 'scope/x:y', 'c:get z'])
    expect(walk).toMatchObject({ functions: 4, files: 3, reentries: 1, mostOpened: { a: 2, b: 1, c: 1 } })
    expect(walk.way.map(({ file }) => file)).toEqual(['a', 'b', 'a', 'c'])
  })

  it('sees every kind of function, by the name a reader knows it by', () => {
    const source = `
      function one() {}
      const two = () => 1
      class Three { get four() { return 4 } #five() {} static six = (a) => (b) => a + b }
      export default [function () {}, two]
    `
    expect(instrument('m', source).match(/"m:[^"]+"/g)).toEqual([
      '"m:one"',
      '"m:two"',
      '"m:get four"',
      '"m:#five"',
      '"m:six"',
      '"m:λ"',
      '"m:λ"',
    ])
  })

  it('leaves what a function returns as it was, also where arrows end at the same place', () => {
    expect(instrument('m', 'const add = (a) => (b) => a + b')).toBe(
      'const add = (a) => (__enter("m:add"),((b) => (__enter("m:λ"),(a + b))))',
    )
  })
})

/** How far a reader has to walk. These may only shrink: a change that makes them grow makes the code harder to follow. */
const bounds: Record<string, { files: number; reentries: number; openings: number }> = {
  'browser: one utterance': { files: 25, reentries: 25, openings: 4 },
  'browser: one close': { files: 17, reentries: 8, openings: 3 },
  'realtime: one utterance': { files: 27, reentries: 42, openings: 7 },
  'realtime: one close': { files: 17, reentries: 8, openings: 3 },
  'phone: one utterance': { files: 31, reentries: 42, openings: 6 },
  // 42, and up to three more, because the last messages of the stream, the answer to the REST request and the carrier's webhook
  // arrive on three connections, in any order.
  // 27 files since keys are pressed by the carrier, and 2 more that all lines share: reading a body, and the public address.
  'phone: one close': { files: 30, reentries: 44, openings: 10 },
}

describe('a reader of the built code', async () => {
  const walks = await walkAll(Object.keys(scenes) as SceneName[])

  it.each(Object.entries(bounds))('%s can be followed', (name, { files, reentries, openings }) => {
    const walk = walks[name]!
    expect(walk.functions).toBeGreaterThan(40)
    expect(walk.files).toBeLessThanOrEqual(files)
    expect(walk.reentries).toBeLessThanOrEqual(reentries)
    expect(Math.max(...Object.values(walk.mostOpened))).toBeLessThanOrEqual(openings)
  })
})
