import { useState } from 'preact/hooks'
import type { SessionSummary } from '../../../src/host/wire/index.ts'
import { sessions } from '../host/store.ts'
import { ActionBar } from '../shared/action-bar.tsx'
import { download } from '../shared/download.ts'
import { Panel } from '../shared/panel.tsx'
import { linkToComparison } from '../shared/route.ts'
import { csvOf } from './export.ts'
import { SessionSearch, type Filter } from './session-search.tsx'
import { SessionsTable } from './sessions-table.tsx'
import { useSearch } from './use-search.ts'
import './sessions-view.css'

/** How many rows are added at once. */
const ROWS = 50

/** The sessions that the host has, newest first. */
export function SessionsView() {
  const [filter, setFilter] = useState<Filter>('all')
  const [query, setQuery] = useState('')
  const [rows, setRows] = useState(ROWS)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const { sessions: found, more } = useSearch(query, filter)
  const shown = found?.slice(0, rows) ?? []
  const showMore = (): void => {
    setRows(rows + ROWS)
    if (found && found.length <= rows + ROWS) more?.()
  }
  // The third choice replaces the first.
  const choose = (id: string, on: boolean): void =>
    setChosen(on ? [...chosen, id].slice(-2) : chosen.filter((each) => each !== id))
  return (
    <Panel
      name="sessions"
      title="Sessions"
      main
      aside={<SessionSearch filter={filter} onFilter={setFilter} query={query} onQuery={setQuery} />}
    >
      {shown.length > 0 && <SessionsTable sessions={shown} chosen={chosen} onChoose={choose} />}
      {shown.length === 0 && <p class="empty">{emptyText(sessions.value?.length, found)}</p>}
      {shown.length > 0 && (
        <footer>
          <span class="quiet">
            {shown.length === 1 ? '1 session' : `${shown.length} sessions`}
            {found && found.length > shown.length ? ` of ${found.length} that are loaded` : ''}
          </span>
          {((found && found.length > shown.length) || more) && (
            <button type="button" class="quiet" onClick={showMore}>
              Show older sessions
            </button>
          )}
          <ActionBar>
            <Compare chosen={chosen} />
            <Export sessions={found ?? []} />
          </ActionBar>
        </footer>
      )}
    </Panel>
  )
}

function Compare({ chosen }: { readonly chosen: readonly string[] }) {
  const [one, other] = chosen
  if (one === undefined || other === undefined)
    return <span class="quiet">Choose two sessions to compare them</span>
  return (
    <a class="button quiet" href={linkToComparison(one, other)}>
      Compare
    </a>
  )
}

function Export({ sessions: list }: { readonly sessions: readonly SessionSummary[] }) {
  return (
    <>
      <button
        type="button"
        class="quiet"
        onClick={() => download('sessions.csv', 'text/csv;charset=utf-8', csvOf(list))}
      >
        Export CSV
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => download('sessions.json', 'application/json', JSON.stringify(list, null, 2))}
      >
        Export JSON
      </button>
    </>
  )
}

function emptyText(count: number | undefined, found: readonly SessionSummary[] | undefined) {
  if (count === undefined || found === undefined) return 'Loading…'
  if (count > 0) return 'No matching sessions.'
  return (
    <>
      No sessions yet. <a href="#/">Make a call</a> to see it here.
    </>
  )
}
