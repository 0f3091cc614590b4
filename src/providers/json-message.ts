import type { Data } from '../link/index.ts'

/** Parses a message as a JSON object; undefined if it is not one. */
export function parseJson(data: Data): object | undefined {
  try {
    const value: unknown = JSON.parse(typeof data === 'string' ? data : Buffer.from(data).toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
