import { expect, it } from 'vitest'
import { sources } from './tree.ts'

const MAX_LINES = 400

it('no file is longer than a reader can keep in mind', () => {
  const long = sources(/^(src|test|studio|bench|tools|examples)\/.*\.(ts|tsx|css)$/)
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
  expect(long).toEqual([])
})
