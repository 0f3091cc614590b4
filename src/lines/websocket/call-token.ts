import { same, sign } from '../secrets.ts'

export interface TokenOptions {
  /** Milliseconds until it is worth nothing: 60 s unless set. A page fetches it right before it calls. */
  expiresIn?: number
  /** Anything that JSON can hold: who the caller is, for instance. Signed, not encrypted: the page can read it. */
  data?: unknown
}

interface Claims {
  readonly expires: number
  readonly data?: unknown
}

export type TokenCheck =
  | { readonly code: 'TOKEN_INVALID' | 'TOKEN_EXPIRED'; readonly data?: undefined }
  | { readonly code: undefined; readonly data: unknown }

/** Makes a token: what it says, and a signature. `date` is the time of people: other machines must agree on it. */
export function makeToken(secret: string, date: number, options: TokenOptions = {}): string {
  const { expiresIn = 60_000, data } = options
  const claims: Claims = { expires: date + expiresIn, ...(data === undefined ? {} : { data }) }
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${text}.${sign(`endwell.call.${text}`, secret)}`
}

/** What a token says, if we have signed it and it has not expired. */
export function checkToken(secret: string, date: number, token: string): TokenCheck {
  const [text = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !same(signature, sign(`endwell.call.${text}`, secret)))
    return { code: 'TOKEN_INVALID' }
  // Nobody but us has written it: it can be read without fear.
  const { expires, data } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Claims
  return expires > date ? { code: undefined, data } : { code: 'TOKEN_EXPIRED' }
}
