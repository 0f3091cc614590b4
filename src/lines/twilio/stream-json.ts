import { isCallName } from '../call-name.ts'
import { limits } from './limits.ts'

/** An object from JSON. Its fields are untrusted: each is checked before it is used or converted (LN6). */
export type Fields = Readonly<Record<string, unknown>>

/** Parses JSON. Returns undefined unless it is an object. */
export function parse(json: string): Fields | undefined {
  try {
    return asFields(JSON.parse(json))
  } catch {
    return undefined
  }
}

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** Returns a text that is neither empty nor too long; undefined for anything else. */
export function asName(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= limits.name ? value : undefined
}

export function asCallName(value: unknown): string | undefined {
  return isCallName(value) ? value : undefined
}

/** Reads a number, written as a number or as decimal digits: carriers do both. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

/** Decodes the sound of a payload: base64, not empty, a second at most. */
export function asSound(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || value.length > Math.ceil(limits.sound / 3) * 4) return undefined
  if (!/^[\w+/-]+={0,2}$/.test(value)) return undefined
  return Buffer.from(value, 'base64')
}

export function asDigit(value: unknown): string | undefined {
  return typeof value === 'string' && /^[0-9*#A-D]$/.test(value) ? value : undefined
}

/** Returns the parameters that are texts, up to the limit. */
export function asParameters(value: unknown): Record<string, string> {
  const pairs = Object.entries(asFields(value) ?? {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  return Object.fromEntries(pairs.slice(0, limits.parameters))
}

/** Whether a format is mu-law at 8 kHz on one channel. */
export function isMuLaw(encoding: unknown, rate: unknown, channels: unknown): boolean {
  const known = encoding === 'audio/x-mulaw' || encoding === 'PCMU'
  return known && asNumber(rate) === 8_000 && asNumber(channels ?? 1) === 1
}
