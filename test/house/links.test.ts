import { expect, it } from 'vitest'

import { sources } from './tree.ts'

it('[LK1] only links open WebSockets', () => {
  const dialers = sources(/^src\/(?!testing\/).*(?<!\.test)\.ts$/).filter(({ text }) => /\.dial\(/.test(text))
  expect(dialers.map(({ path }) => path)).toEqual(['src/link/link.ts'])
})
