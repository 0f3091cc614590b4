import { expect, it } from 'vitest'
import { isCallAddress } from './call-address.ts'

it('[TR2] [DI3] whom to call is a number with its country, or an address of SIP', () => {
  for (const good of ['+4930123456', '+112', 'sip:desk@example.com', 'sips:a.b@10.0.0.1:5061;transport=tls'])
    expect(isCallAddress(good), good).toBe(true)
  for (const bad of [
    '',
    '+',
    '030 123',
    '4930123456',
    '+49 30',
    '+1<Hangup/>',
    'sip:',
    'sip:a b',
    'sip:a"b',
    'tel:1',
    5,
  ])
    expect(isCallAddress(bad), String(bad)).toBe(false)
})
