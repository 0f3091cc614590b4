import { signal } from '@preact/signals'

/** Which calls are listed, and in which order. */
export interface ListState {
  readonly filter: keyof typeof filters
  readonly period: keyof typeof periods
  readonly sort: keyof typeof sorts
  readonly query: string
}

/** The conditions for the host by filter. */
export const filters = {
  all: '',
  live: '&state=live',
  'went wrong': '&wrong=true',
  clean: '&wrong=false',
} as const

const HOUR = 3_600_000

export const periods = {
  all: { name: 'All time', length: Infinity },
  day: { name: 'Last 24 hours', length: 24 * HOUR },
  week: { name: 'Last 7 days', length: 7 * 24 * HOUR },
} as const

export const sorts = {
  newest: 'Newest first',
  slowest: 'Slowest answers first',
  dearest: 'Dearest first',
  longest: 'Longest first',
} as const

export const everything: ListState = { filter: 'all', period: 'all', sort: 'newest', query: '' }

/** The state in an address. Whatever is not valid there is ignored. */
export function listStateOf(search: string): ListState {
  const given = new URLSearchParams(search)
  const choice = <Name extends string>(
    name: string,
    known: Readonly<Record<Name, unknown>>,
    or: Name,
  ): Name => {
    const value = given.get(name)
    return value !== null && Object.hasOwn(known, value) ? (value as Name) : or
  }
  return {
    filter: choice('filter', filters, everything.filter),
    period: choice('period', periods, everything.period),
    sort: choice('sort', sorts, everything.sort),
    query: given.get('q') ?? '',
  }
}

/** The state for an address. Empty for the list of everything. */
export function searchOf({ filter, period, sort, query }: ListState): string {
  const search = new URLSearchParams()
  if (filter !== everything.filter) search.set('filter', filter)
  if (period !== everything.period) search.set('period', period)
  if (sort !== everything.sort) search.set('sort', sort)
  if (query.trim() !== '') search.set('q', query.trim())
  return search.toString()
}

/** What the host is asked for. */
export function conditionOf({ filter, period, sort, query }: ListState, now: number): string {
  const { length } = periods[period]
  const since = length === Infinity ? '' : `&since=${Math.round(now - length)}`
  return `q=${encodeURIComponent(query.trim())}${filters[filter]}${since}&sort=${sort}`
}

/** The search of the list that was open last: links to the list lead back there. */
export const lastSearch = signal('')
