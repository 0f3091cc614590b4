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

/** Returns a function that returns the current key: the same each time, or what the option's function returns now. */
export function keySource(
  provider: string,
  given: string | (() => string | Promise<string>) | undefined,
  variable: string,
): () => string | Promise<string> {
  if (typeof given !== 'function') {
    const key = apiKey(provider, given, variable)
    return () => key
  }
  // A function that returns no key never gets the one of the environment, which may belong to another service.
  const checked = (key: string | undefined): string => apiKey(provider, key ?? '', variable)
  return () => {
    const key = given()
    return typeof key === 'object' ? Promise.resolve(key).then(checked) : checked(key)
  }
}
