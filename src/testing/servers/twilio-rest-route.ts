import type { RestAnswer } from './twilio-rest-answer.ts'
import type { RestFields } from './twilio-rest-fields.ts'

/** A resource of the REST API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: RegExp
  /** Gets the groups of the path. Returns undefined if there is no such resource. */
  readonly answer: (names: readonly string[], fields: RestFields) => RestAnswer | undefined
}

/** Makes the pattern of a whole path. */
export function path(text: string): RegExp {
  return new RegExp(`^/${text}$`)
}

/** The accounts of Twilio, and those of Telnyx's TeXML, whose resources have the same names without `.json`. */
export const ACCOUNT = '(?:2010-04-01|v2/texml)/Accounts/[^/]+'
export const JSON_SUFFIX = String.raw`(?:\.json)?`
