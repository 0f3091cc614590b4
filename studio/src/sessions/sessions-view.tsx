import { useEffect, useState } from 'preact/hooks'
import type { SessionSummary } from '../../../src/host/wire/index.ts'
import { sessions } from '../host/store.ts'
import { ActionBar } from '../shared/action-bar.tsx'
import { download } from '../shared/download.ts'
import { Notice } from '../shared/notice.tsx'
import { Panel } from '../shared/panel.tsx'
import { linkToComparison, linkToList } from '../shared/route.ts'
import { csvOf } from './export.ts'
import { everything, lastSearch, listStateOf, searchOf, type ListState } from './list-state.ts'
import { ListSummary } from './list-summary.tsx'
import { ListControls, SearchField } from './session-search.tsx'
import { SessionsTable } from './sessions-table.tsx'
import { useSearch } from './use-search.ts'
import './sessions-view.css'

/** How many rows are added at once. */
const ROWS = 50

/** The calls that the host has. `search` is the state of the list in the address. */
export function SessionsView({ search }: { readonly search: string }) {
  const [state, setState] = useState(() => listStateOf(search))
  const [rows, setRows] = useState(ROWS)
  const [chosen, setChosen] = useState<readonly string[]>([])
  useEffect(() => setState(listStateOf(search)), [search])
  const change = (changes: Partial<ListState>): void => {
    const next = { ...state, ...changes }
    setState(next)
    setRows(ROWS)
    // The address has the state, so that it can be shared, and is there when the user comes back.
    history.replaceState(undefined, '', linkToList(searchOf(next)))
  }
  useEffect(() => {
    lastSearch.value = searchOf(state)
  }, [state])
  const { sessions: found, complete, more, every, stale, failure } = useSearch(state)
  const isEmpty = sessions.value?.length === 0 && searchOf(state) === ''
  const shown = found?.slice(0, rows) ?? []
  const showMore = (): void => {
    setRows(rows + ROWS)
    if (found && found.length <= rows + ROWS) more?.()
  }
  // The third choice replaces the first.
  const choose = (id: string, on: boolean): void =>
    setChosen(on ? [...chosen, id].slice(-2) : chosen.filter((each) => each !== id))
  return (
    <Panel name="sessions" title="Calls" main aside={<SearchField state={state} onChange={change} />}>
      {!isEmpty && (
        <>
          <ListSummary sessions={found ?? []} complete={complete} state={state} />
          <ListControls state={state} onChange={change} />
        </>
      )}
      {failure !== '' && <Notice tone="bad" title={`The list could not be loaded. ${failure}`} />}
      {shown.length > 0 && <SessionsTable sessions={shown} chosen={chosen} onChoose={choose} />}
      {shown.length === 0 && (
        <p class="empty">{isEmpty ? noCalls : emptyText(found, state, () => change(everything))}</p>
      )}
      {found && shown.length > 0 && (
        <footer>
          <span class="quiet">{stale ? 'Loading…' : countText(shown.length, found.length, state)}</span>
          {(found.length > shown.length || more) && (
            <button type="button" class="quiet" onClick={showMore}>
              Show more calls
            </button>
          )}
          <ActionBar>
            <Compare chosen={chosen} />
            <Export every={every} />
          </ActionBar>
        </footer>
      )}
    </Panel>
  )
}

function Compare({ chosen }: { readonly chosen: readonly string[] }) {
  const [one, other] = chosen
  if (one === undefined || other === undefined)
    return <span class="quiet">Choose two calls to compare them</span>
  return (
    <a class="button quiet" href={linkToComparison(one, other)}>
      Compare
    </a>
  )
}

/** Saves all calls that match, also those that are not listed yet. */
function Export({ every }: { readonly every: () => Promise<readonly SessionSummary[]> }) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState('')
  const save = (name: string, type: string, textOf: (list: readonly SessionSummary[]) => string) => () => {
    setBusy(true)
    setFailure('')
    every()
      .then((list) => download(name, type, textOf(list)))
      .catch((error: Error) => setFailure(error.message))
      .finally(() => setBusy(false))
  }
  return (
    <>
      <button
        type="button"
        class="quiet"
        disabled={busy}
        onClick={save('calls.csv', 'text/csv;charset=utf-8', csvOf)}
      >
        Export CSV
      </button>
      <button
        type="button"
        class="quiet"
        disabled={busy}
        onClick={save('calls.json', 'application/json', (list) => JSON.stringify(list, null, 2))}
      >
        Export JSON
      </button>
      {failure !== '' && <span role="alert">{failure}</span>}
    </>
  )
}

function countText(shown: number, loaded: number, { sort }: ListState): string {
  const calls = shown === 1 ? '1 call' : `${shown} calls`
  const of = loaded > shown ? ` of ${loaded} that are loaded` : ''
  return sort === 'newest' ? calls + of : `The ${sort} ${calls}${of}`
}

const noCalls = (
  <>
    No calls yet. <a href="#/">Make a call</a> to see it here.
  </>
)

function emptyText(found: readonly SessionSummary[] | undefined, state: ListState, reset: () => void) {
  if (found === undefined) return 'Loading…'
  return (
    <>
      {state.filter === 'went wrong' && state.query === '' ? 'Nothing went wrong. ' : 'No matching calls. '}
      <button type="button" class="quiet" onClick={reset}>
        Show all calls
      </button>
    </>
  )
}
