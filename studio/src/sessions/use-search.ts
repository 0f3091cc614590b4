import { useEffect, useState } from 'preact/hooks'
import type { SessionSummary } from '../../../src/host/wire/index.ts'
import { systemClock } from '../../../src/scope/index.ts'
import { read } from '../host/api.ts'
import { sessions } from '../host/store.ts'

/** How long the query must stay unchanged before the host is asked. */
const DEBOUNCE = 120

/** The ids of the sessions that match a query. Undefined for an empty query. */
export function useSearch(query: string): ReadonlySet<string> | undefined {
  const [found, setFound] = useState<ReadonlySet<string> | undefined>(undefined)
  const wanted = query.trim()
  const list = sessions.value
  useEffect(() => {
    if (wanted === '') {
      setFound(undefined)
      return undefined
    }
    const asking = new AbortController()
    const timer = systemClock.after(DEBOUNCE, 'search', () => {
      read<{ sessions: SessionSummary[] }>(`api/sessions?q=${encodeURIComponent(wanted)}`, asking.signal)
        .then((answer) => setFound(new Set(answer.sessions.map(({ id }) => id))))
        .catch(() => {})
    })
    return () => {
      timer.clear()
      asking.abort()
    }
  }, [wanted, list])
  return found
}
