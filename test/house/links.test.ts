import { expect, it } from 'vitest'

import { sources } from './tree.ts'

/** Dials a phone number, which opens no connection. */
const phone = 'src/host/reception/entrance.ts'

it('[LK1] only links open WebSockets', () => {
  const dialers = sources(/^src\/(?!testing\/).*(?<!\.test)\.ts$/).filter(({ text }) => /\.dial\(/.test(text))
  expect(dialers.map(({ path }) => path)).toEqual([phone, 'src/link/link.ts'])
})
