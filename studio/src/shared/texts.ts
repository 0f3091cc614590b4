import { timeText } from '../../../src/report/index.ts'
import type { CostReport } from '../../../src/session/index.ts'

export { timeText }

/** A duration as on a clock: `0:07`, `12:40`, `1:02:03`. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (value: number): string => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60) % 60
  const hours = Math.floor(seconds / 3_600)
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** An age without fractions, so that it does not flicker: `99 s`, `1 min`, `2 h`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 100) return `${seconds} s`
  if (seconds < 6_000) return `${Math.floor(seconds / 60)} min`
  return `${Math.floor(seconds / 3_600)} h`
}

/** A time in the past, relative to `now`: `just now`, `3 min ago`, and from an hour on the time of day. */
export function agoText(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1_000)
  if (seconds < 10) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  const date = new Date(at)
  const time = date.toLocaleTimeString([], { timeStyle: 'short' })
  return seconds < 43_200
    ? time
    : `${date.toLocaleDateString([], { month: 'short', day: 'numeric' })}, ${time}`
}

/** A time in full, in the time zone of the viewer: `Nov 17, 2026, 6:54 PM`. */
export const dateText = (at: number): string =>
  new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })

/** The same to the second, with the name of the time zone. */
export const exactDateText = (at: number): string =>
  new Date(at).toLocaleString([], { dateStyle: 'full', timeStyle: 'long' })

/** An amount of money: `$0.0421`, `€1.20`, or a bare number if the currency is not known. */
export function moneyText(amount: number, currency?: string): string {
  if (currency === undefined) return String(Number(amount.toPrecision(4)))
  const digits = amount === 0 || amount >= 1 ? 2 : amount >= 0.000_1 ? 4 : 6
  return amount.toLocaleString('en', { style: 'currency', currency, minimumFractionDigits: digits })
}

/** A cost, and what it lacks: `$0.0421`, `$0.0421 without deepgram`. A cost that is not known at all is not 0. */
export function costText({ total, models, unpriced, currency }: CostReport): string {
  if (Object.keys(models).length === 0 && unpriced.length > 0) return 'unknown'
  const missing = unpriced.length > 0 ? ` without ${unpriced.join(', ')}` : ''
  return `${moneyText(total, currency)}${missing}`
}

/** `1 retry`, `2 retries`. */
export const retriesText = (count: number): string => (count === 1 ? '1 retry' : `${count} retries`)
