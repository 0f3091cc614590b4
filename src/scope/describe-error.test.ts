import { expect, it } from 'vitest'
import { describeError } from './describe-error.ts'
import { limits } from './limits.ts'

it.each<[unknown, object]>([
  [new TypeError('no'), { name: 'TypeError', message: 'no' }],
  [
    Object.assign(new Error('gone'), { code: 'ECONNRESET' }),
    { name: 'Error', message: 'gone', code: 'ECONNRESET' },
  ],
  [Object.assign(new Error('odd'), { code: 42 }), { name: 'Error', message: 'odd' }],
  ['a string', { name: 'thrown', message: 'a string' }],
  [undefined, { name: 'thrown', message: 'undefined' }],
  [{ toString: () => 'own words' }, { name: 'thrown', message: 'own words' }],
  [Object.create(null), { name: 'thrown', message: 'a value that cannot be printed' }],
])('describeError describes %o', (thrown, description) => {
  expect(describeError(thrown)).toEqual(description)
})

it('[SC18] describeError cuts a long message', () => {
  const { message } = describeError(new Error('x'.repeat(100_000)))
  expect(message).toHaveLength(limits.message)
  expect(message.endsWith('…')).toBe(true)
})
