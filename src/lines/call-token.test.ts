import { describe, expect, it } from 'vitest'
import { checkToken, makeToken } from './call-token.ts'

const secret = 'a secret of sixteen'
const now = Date.UTC(2026, 0, 1)

describe('a token', () => {
  it('carries its data until it expires', () => {
    const token = makeToken(secret, now, { data: { name: 'Jo' }, expiresIn: 1_000 })
    expect(checkToken(secret, now + 999, token)).toEqual({ code: undefined, data: { name: 'Jo' } })
    expect(checkToken(secret, now + 1_000, token)).toEqual({ code: 'TOKEN_EXPIRED' })
    expect(makeToken(secret, now)).toMatch(/^[\w-]+\.[\w-]+$/)
  })

  it('is invalid if anything about it is changed', () => {
    const token = makeToken(secret, now, { data: 'Jo' })
    const [text = '', signature = ''] = token.split('.')
    const longer = Buffer.from(JSON.stringify({ expires: now * 2 })).toString('base64url')
    const other = makeToken('another secret, of more', now).split('.')[1]
    for (const bad of [
      '',
      '.',
      text,
      `${text}.`,
      `${longer}.${signature}`,
      `${text}.${other}`,
      `${token}.x`,
      `${token}x`,
      `${text}.${signature.slice(1)}`,
    ])
      expect(checkToken(secret, now, bad), bad).toEqual({ code: 'TOKEN_INVALID' })
  })
})
