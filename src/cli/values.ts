import { didYouMean } from '../scope/index.ts'
import { InvalidValue } from './configuration.ts'

// Readers for the values of settings. Each takes the text that a user wrote, and throws `InvalidValue` for any other.

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value
    throw new InvalidValue(`must be a whole number from ${least} to ${most}`)
  }

const milliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** A time with its unit, in milliseconds: `30s`, `10m`. */
export const time =
  (least: string, most: string) =>
  (text: string): number => {
    const value = timeIn(text)
    if (value === undefined)
      throw new InvalidValue('must be a time with its unit, such as 500ms, 30s, 10m, 2h or 30d')
    if (value >= timeIn(least)! && value <= timeIn(most)!) return value
    throw new InvalidValue(`must be a time from ${least} to ${most}`)
  }

function timeIn(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim()) ?? []
  return amount === undefined ? undefined : Number(amount) * milliseconds[unit!]!
}

/** An amount of memory, in MB: `512MB`, `2GB`. */
export function memory(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(MB|GB)$/i.exec(text.trim()) ?? []
  const value = Number(amount) * (unit?.toUpperCase() === 'GB' ? 1_024 : 1)
  if (value >= 64 && value <= 1_048_576) return value
  throw new InvalidValue('must be an amount of memory with its unit, from 64MB to 1024GB')
}

export const oneOf =
  <const T extends string>(...known: readonly T[]) =>
  (text: string): T => {
    const found = known.find((each) => each === text)
    if (found !== undefined) return found
    const last = known.at(-1)!
    throw new InvalidValue(`must be ${known.slice(0, -1).join(', ')} or ${last}`, didYouMean(text, known))
  }

export function url(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  const { protocol = '', username, search, hash } = parsed ?? {}
  if (/^https?:$/.test(protocol) && !username && !search && !hash) return text.replace(/\/+$/, '')
  throw new InvalidValue('must be a URL such as https://phone.example.com')
}

/** Host names, separated by commas. */
export function hostNames(text: string): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  if (names.length > 0 && names.every((name) => /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)))
    return names
  throw new InvalidValue('must be host names such as phone.example.com, without a scheme and a port')
}

/** An address to listen on, or the name of one. */
export function address(text: string): string {
  const value = text.trim().replace(/^\[(.*)\]$/, '$1')
  if (/^[\w.:%-]+$/.test(value) && !/^[a-z]+:\/|^[\w.-]*:\d*$/i.test(value)) return value
  throw new InvalidValue('must be an address such as 127.0.0.1 or 0.0.0.0, without a port')
}

export function databaseUrl(text: string): string {
  if (/^postgres(ql)?:\/\/./.test(text)) return text
  throw new InvalidValue('must look like postgres://user:password@host:5432/database')
}

export function anyText(text: string): string {
  if (text.trim() !== '') return text
  throw new InvalidValue('must not be empty')
}
