import { expect, it } from 'vitest'

import { sources } from './tree.ts'

it('[LK1] links alone open WebSockets', () => {
  const dialling = sources(/^src\/(?!testing\/).*(?<!\.test)\.ts$/).filter(({ text }) =>
    /\.dial\(/.test(text),
  )
  expect(dialling.map(({ path }) => path)).toEqual(['src/link/link.ts'])
})
