import { limits } from './limits.ts'

/** A thing of JSON whose fields are read one by one, and not trusted. */
export type Fields = Readonly<Record<string, unknown>>

/** The object that a text is, if it is one. */
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

/** A name of something: text that is not empty and not long. */
export function asName(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= limits.name ? value : undefined
}

/** The sound of a payload: base64, a second of it at most, and something. */
export function asSound(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || value.length > Math.ceil(limits.sound / 3) * 4) return undefined
  if (!/^[\w+/-]+={0,2}$/.test(value)) return undefined
  return Buffer.from(value, 'base64')
}

export function asDigit(value: unknown): string | undefined {
  return typeof value === 'string' && /^[0-9*#A-D]$/.test(value) ? value : undefined
}

/** Those of the parameters that are texts, as many as there may be. */
export function asParameters(value: unknown): Record<string, string> {
  const pairs = Object.entries(asFields(value) ?? {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  return Object.fromEntries(pairs.slice(0, limits.parameters))
}

/** Whether a format is mu-law at 8 kHz on one channel. Carriers write numbers as numbers and as texts. */
export function isMuLaw(encoding: unknown, rate: unknown, channels: unknown): boolean {
  const known = encoding === 'audio/x-mulaw' || encoding === 'PCMU'
  return known && Number(rate) === 8_000 && Number(channels ?? 1) === 1
}
