import { useEffect, useState } from 'preact/hooks'
import type { SessionSummary } from '../../../src/host/wire/index.ts'
import { systemClock } from '../../../src/scope/index.ts'
import { read } from '../host/api.ts'
import { sessions } from '../host/store.ts'
import type { Filter } from './session-search.tsx'

/** How long the query must stay unchanged before the host is asked. */
const DEBOUNCE = 120
/** How many sessions the host is asked for at once. */
const PAGE = 100

const conditions: Readonly<Record<Filter, string>> = {
  all: '',
  live: '&state=live',
  clean: '&clean=true',
  'not clean': '&clean=false',
}

export interface Found {
  /** Newest first. Undefined until the host has answered. */
  readonly sessions: readonly SessionSummary[] | undefined
  /** Asks the host for older sessions. Undefined if there are none. */
  readonly more: (() => void) | undefined
}

/** The sessions that match. Without a condition, those that the host sends by itself, and older ones once asked for. */
export function useSearch(query: string, filter: Filter): Found {
  const words = query.trim()
  const condition = `q=${encodeURIComponent(words)}${conditions[filter]}`
  const hasCondition = words !== '' || filter !== 'all'
  const [found, setFound] = useState<readonly SessionSummary[] | undefined>(undefined)
  const [older, setOlder] = useState<readonly SessionSummary[]>([])
  const [ended, setEnded] = useState(false)
  const list = sessions.value
  useEffect(() => {
    setFound(undefined)
    setOlder([])
    setEnded(false)
  }, [condition])
  useEffect(() => {
    if (!hasCondition) return undefined
    const asking = new AbortController()
    const timer = systemClock.after(DEBOUNCE, 'search', () => {
      find(condition, asking.signal)
        .then(setFound)
        .catch(() => {})
    })
    return () => {
      timer.clear()
      asking.abort()
    }
  }, [condition, hasCondition, list])
  const newest = hasCondition ? found : list
  const known = new Set(newest?.map(({ id }) => id))
  const all = newest && [...newest, ...older.filter(({ id }) => !known.has(id))]
  const last = all?.at(-1)
  const more = (): void => {
    find(`${condition}&before=${last!.addedAt}&beforeId=${encodeURIComponent(last!.id)}`)
      .then((next) => {
        setOlder([...older, ...next])
        setEnded(next.length < PAGE)
      })
      .catch(() => {})
  }
  return { sessions: all, more: all && last && !ended && all.length >= PAGE ? more : undefined }
}

async function find(condition: string, signal?: AbortSignal): Promise<readonly SessionSummary[]> {
  const answer = await read<{ readonly sessions: readonly SessionSummary[] }>(
    `api/sessions?${condition}&limit=${PAGE}`,
    signal,
  )
  return answer.sessions
}
