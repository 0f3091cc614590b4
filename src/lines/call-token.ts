import { checkOptions } from '../scope/index.ts'
import { same, sign } from './secrets.ts'

export interface TokenOptions {
  /** Milliseconds until the token expires. Default: 60 s, since a page fetches it right before it calls. */
  expiresIn?: number
  /** Any JSON value: who the caller is, for example. Signed but not encrypted: the page can read it. */
  data?: unknown
}

interface Claims {
  readonly expires: number
  readonly data?: unknown
}

export type TokenCheck =
  | { readonly code: 'TOKEN_INVALID' | 'TOKEN_EXPIRED'; readonly data?: undefined }
  | { readonly code: undefined; readonly data: unknown }

/** What a token is good for. */
export type TokenPurpose = 'call' | 'rtvi'

/** Makes a token: its claims and a signature. `date` is wall-clock time, which other servers must agree on. */
export function makeToken(
  secret: string,
  date: number,
  options: TokenOptions = {},
  purpose: TokenPurpose = 'call',
): string {
  checkOptions('token', options, { expiresIn: true, data: true })
  const { expiresIn = 60_000, data } = options
  const claims: Claims = { expires: date + expiresIn, ...(data === undefined ? {} : { data }) }
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${text}.${sign(`endwell.${purpose}.${text}`, secret)}`
}

/** Checks the signature and expiry of a token, and returns its data. */
export function checkToken(
  secret: string,
  date: number,
  token: string,
  purpose: TokenPurpose = 'call',
): TokenCheck {
  const [text = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !same(signature, sign(`endwell.${purpose}.${text}`, secret)))
    return { code: 'TOKEN_INVALID' }
  // We signed it, so we wrote it: it can be parsed without checks.
  const { expires, data } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Claims
  return expires > date ? { code: undefined, data } : { code: 'TOKEN_EXPIRED' }
}
