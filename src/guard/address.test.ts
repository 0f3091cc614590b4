import { expect, it } from 'vitest'
import { addressOf } from './address.ts'

it.each([
  [[{ port: 443, host: 'example.com', path: null }], 'example.com:443'],
  [[{ port: 443 }], 'localhost:443'],
  [[{ host: 'example.com', port: '443' }], 'example.com:443'],
  [[{ path: '/tmp/pipe' }], '/tmp/pipe'],
  [[443, 'example.com'], 'example.com:443'],
  [[443], 'localhost:443'],
  [['443', 'example.com'], 'example.com:443'],
  [['/tmp/pipe'], '/tmp/pipe'],
  [[[{ port: 443, host: 'example.com' }, undefined]], 'example.com:443'],
])('the address in %j is %s', (args, address) => {
  expect(addressOf(args)).toBe(address)
})
