import type { Data } from '../link/index.ts'

/** A message of JSON as an object; undefined if it is none. */
export function jsonIn(data: Data): object | undefined {
  try {
    const value: unknown = JSON.parse(typeof data === 'string' ? data : Buffer.from(data).toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
