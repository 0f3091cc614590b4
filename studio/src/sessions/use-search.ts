import { useEffect, useRef, useState } from 'preact/hooks'
import type { SessionSummary } from '../../../src/host/wire/index.ts'
import { systemClock, type Timer } from '../../../src/scope/index.ts'
import { read } from '../host/api.ts'
import { sessions } from '../host/store.ts'
import { conditionOf, searchOf, type ListState } from './list-state.ts'

/** How long the query must stay unchanged before the host is asked. */
const DEBOUNCE = 120
/** How long a list may be out of date while calls begin and end. */
const REFRESH = 1_000
/** How many calls the host is asked for at once. */
const PAGE = 200
/** How many calls are exported at most. */
const MAX_EXPORTED = 10_000

export interface Found {
  /** Undefined until the host has answered. */
  readonly sessions: readonly SessionSummary[] | undefined
  /** Whether these are all calls that match. */
  readonly complete: boolean
  /** Asks the host for older calls. Undefined if there are none. */
  readonly more: (() => void) | undefined
  /** All calls that match, up to a limit, also those that are not listed yet. */
  readonly every: () => Promise<readonly SessionSummary[]>
  /** Whether this is still the list before the last change, because the host has not answered yet. */
  readonly stale: boolean
  /** Why the host did not answer. */
  readonly failure: string
}

interface Answer {
  readonly search: string
  readonly sessions: readonly SessionSummary[]
  /** Whether there are no older ones. */
  readonly complete: boolean
}

/** The calls that match. Without a condition, those that the host sends by itself, and older ones once asked for. */
export function useSearch(state: ListState): Found {
  const search = searchOf(state)
  const list = sessions.value
  const [answer, setAnswer] = useState<Answer | undefined>(undefined)
  const [older, setOlder] = useState<Answer | undefined>(undefined)
  const [failure, setFailure] = useState('')
  const refresh = useRef<Timer | undefined>(undefined)
  const asking = useRef<AbortController | undefined>(undefined)

  const ask = (): void => {
    asking.current?.abort()
    asking.current = new AbortController()
    find(conditionOf(state, systemClock.date()), asking.current.signal)
      .then((found) => {
        setFailure('')
        setAnswer({ search, sessions: found, complete: found.length < PAGE })
      })
      .catch((error: Error) => {
        if (error.name !== 'AbortError') setFailure(error.message)
      })
  }

  useEffect(() => {
    setOlder(undefined)
    setFailure('')
    if (search === '') return undefined
    const timer = systemClock.after(DEBOUNCE, 'search', ask)
    return () => {
      timer.clear()
      asking.current?.abort()
      refresh.current?.clear()
      refresh.current = undefined
    }
  }, [search])
  useEffect(() => {
    if (search === '' || answer?.search !== search || refresh.current) return
    refresh.current = systemClock.after(REFRESH, 'refresh of a search', () => {
      refresh.current = undefined
      ask()
    })
  }, [list])

  const own = search === '' && list ? { search, sessions: list, complete: list.length < OWN_PAGE } : undefined
  const current = own ?? (answer?.search === search ? answer : undefined)
  // Until the host has answered, the list stays as it was.
  const previous = useRef<Answer | undefined>(undefined)
  const newest = current ?? previous.current
  useEffect(() => {
    previous.current = newest
  })
  const rest = older?.search === search ? older : undefined
  const known = new Set(newest?.sessions.map(({ id }) => id))
  const all = newest && [...newest.sessions, ...(rest?.sessions.filter(({ id }) => !known.has(id)) ?? [])]
  const after = ({ addedAt, id }: SessionSummary): Promise<readonly SessionSummary[]> =>
    find(`${conditionOf(state, systemClock.date())}&before=${addedAt}&beforeId=${encodeURIComponent(id)}`)
  const last = all?.at(-1)
  const more = (): void => {
    after(last!)
      .then((next) =>
        setOlder({
          search,
          sessions: [...(rest?.sessions ?? []), ...next],
          complete: next.length < PAGE,
        }),
      )
      .catch((error: Error) => setFailure(error.message))
  }
  const complete = rest?.complete ?? newest?.complete ?? true
  // Only the newest calls have further pages.
  const hasMore = last !== undefined && !complete && state.sort === 'newest'
  const every = async (): Promise<readonly SessionSummary[]> => {
    const calls = [...(all ?? [])]
    for (let wanted = hasMore; wanted && calls.length < MAX_EXPORTED;) {
      const next = await after(calls.at(-1)!)
      calls.push(...next)
      wanted = next.length === PAGE
    }
    return calls
  }
  return {
    sessions: all,
    complete,
    more: hasMore ? more : undefined,
    every,
    stale: current === undefined,
    failure,
  }
}

/** How many calls the host sends by itself, at least, if there are more. */
const OWN_PAGE = 100

async function find(condition: string, signal?: AbortSignal): Promise<readonly SessionSummary[]> {
  const answer = await read<{ readonly sessions: readonly SessionSummary[] }>(
    `api/sessions?${condition}&limit=${PAGE}`,
    signal,
  )
  return answer.sessions
}
