import { useState } from 'preact/hooks'
import { sessions } from '../host/store.ts'
import { Panel } from '../shared/panel.tsx'
import { fits, SessionSearch, type Filter } from './session-search.tsx'
import { SessionsTable } from './sessions-table.tsx'
import { useSearch } from './use-search.ts'
import './sessions-view.css'

/** The sessions that the host has, newest first. */
export function SessionsView() {
  const [filter, setFilter] = useState<Filter>('all')
  const [query, setQuery] = useState('')
  const found = useSearch(query)
  const all = sessions.value
  const shown = all?.filter((session) => fits(session, filter) && (found?.has(session.id) ?? true)) ?? []
  return (
    <Panel
      name="sessions"
      title="Sessions"
      main
      aside={<SessionSearch filter={filter} onFilter={setFilter} query={query} onQuery={setQuery} />}
    >
      {shown.length > 0 && <SessionsTable sessions={shown} />}
      {shown.length === 0 && <p class="empty">{emptyText(all?.length)}</p>}
    </Panel>
  )
}

function emptyText(count: number | undefined) {
  if (count === undefined) return 'Loading…'
  if (count > 0) return 'No matching sessions.'
  return (
    <>
      No sessions yet. <a href="#/">Make a call</a> to see it here.
    </>
  )
}
