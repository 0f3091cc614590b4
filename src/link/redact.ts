import { clip, type DialRequest } from '../scope/index.ts'
import type { Data } from './protocol.ts'

/** Shorter values are not credentials, and would be found in ordinary words. */
const MIN_LENGTH = 6
/** Characters of a text that are kept: an error message needs no more. */
const MAX_TEXT = 10_000
/** Replaces a credential. ASCII, so that it is the same in every encoding. */
const MASK = '***'

/** Names of headers and URL parameters that hold credentials. */
const CREDENTIAL_NAME = /auth|key|token|secret|passw|credential|cookie|signature/i
const CREDENTIAL_VARIABLE = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i
/** Words of a header value that are not part of its credential. */
const SCHEME = /^(bearer|basic|token|digest)$/i

/** Keys by their shape: after a word that introduces them, with the prefix of a vendor, or made of hexadecimal digits. */
const SHAPES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\b(bearer|sk|pk|api[-_]?key)([-_=: ]+)[\w.*/+=-]{6,}/gi, `$1$2${MASK}`],
  [/\b(basic|token|key|secret|password)([-_=: ]+)(?=[\w.*/+=-]*\d)[\w.*/+=-]{6,}/gi, `$1$2${MASK}`],
  [
    /\b(AIza|ya29\.|auth_tokens\/|ek_|gsk_|hf_|r8_|xai-|xox[a-z]-|gh[a-z]_|AKIA|SK)[\w.*/-]{12,}/g,
    `$1${MASK}`,
  ],
  [/\beyJ[\w-]{8,2000}\.[\w.-]{1,2000}/g, MASK],
  [/\b[0-9a-f]{32,}\b/gi, MASK],
]

/**
 * Removes keys from a vendor's text before it becomes part of an error, a log or a report: the given credentials, values
 * of environment variables whose name ends in `KEY`, `TOKEN`, `SECRET` or `PASSWORD`, and everything in the shape of a
 * well-known key. Long texts are cut.
 */
export function redact(text: string, credentials: readonly string[] = []): string {
  const known = credentials.filter(({ length }) => length >= MIN_LENGTH)
  let redacted = removeAll(clip(text, MAX_TEXT), [...known, ...environmentCredentials()])
  for (const [pattern, replacement] of SHAPES) redacted = redacted.replaceAll(pattern, replacement)
  return redacted
}

/** Removes only these credentials. Everything else stays as it is, because a message may be about anything. */
export function redactData(data: Data, credentials: readonly string[]): Data {
  if (typeof data === 'string') return removeAll(data, credentials)
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  if (!credentials.some((each) => bytes.includes(each))) return data
  return Buffer.from(removeAll(bytes.toString('latin1'), credentials), 'latin1')
}

/** The credentials of a request, by the names of its headers and URL parameters. */
export function credentialsOf({ url, headers = {}, protocols = [] }: Omit<DialRequest, 'name'>): string[] {
  const found: string[] = []
  for (const [name, value] of Object.entries(headers))
    if (CREDENTIAL_NAME.test(name)) found.push(...wordsOf(value))
  if (URL.canParse(url)) {
    const { username, password, searchParams } = new URL(url)
    found.push(username, password)
    for (const [name, value] of searchParams) if (CREDENTIAL_NAME.test(name)) found.push(value)
  }
  // Browsers cannot send headers, so some vendors accept a key as part of a subprotocol.
  for (const protocol of protocols) if (/\d/.test(protocol)) found.push(...protocol.split('.'))
  return spellingsOf(found)
}

/** The words of a header value, and the values in a cookie. */
function wordsOf(value: string): string[] {
  const words = value.split(/[\s,;]+/).filter((word) => !SCHEME.test(word))
  return words.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
}

function environmentCredentials(): string[] {
  const names = Object.keys(process.env).filter((name) => CREDENTIAL_VARIABLE.test(name))
  return spellingsOf(names.map((name) => process.env[name]?.trim() ?? ''))
}

/** Each credential as it is written in JSON and in URLs. The longest first, because one may contain another. */
function spellingsOf(credentials: readonly string[]): string[] {
  const spellings = credentials
    .filter(({ length }) => length >= MIN_LENGTH)
    .flatMap((each) => [each, JSON.stringify(each).slice(1, -1), encodeURIComponent(each)])
  return [...new Set(spellings)].toSorted((one, other) => other.length - one.length)
}

function removeAll(text: string, credentials: readonly string[]): string {
  let redacted = text
  for (const each of credentials) if (redacted.includes(each)) redacted = redacted.replaceAll(each, MASK)
  return redacted
}
