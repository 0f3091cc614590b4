import { MissingKeyError } from './errors.ts'

/**
 * Returns the `apiKey` option or the value of the vendor's usual environment variable. Store it in a `#private` field:
 * neither `inspect` nor `JSON.stringify` prints private fields.
 */
export function apiKey(provider: string, given: string | undefined, variable: string): string {
  const key = (given ?? process.env[variable] ?? '').trim()
  if (key === '') throw new MissingKeyError(provider, variable)
  return key
}
