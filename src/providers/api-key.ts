import { MissingKeyError } from './errors.ts'

/**
 * The key that was given, or the one in the vendor's usual environment variable. Keep it in a `#private` field: those
 * are seen neither by `inspect` nor by `JSON.stringify`.
 */
export function apiKey(provider: string, given: string | undefined, variable: string): string {
  const key = (given ?? process.env[variable] ?? '').trim()
  if (key === '') throw new MissingKeyError(provider, variable)
  return key
}
