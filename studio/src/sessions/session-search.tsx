import { filters, periods, sorts, type ListState } from './list-state.ts'
import './session-search.css'

interface SessionSearchProps {
  readonly state: ListState
  readonly onChange: (changes: Partial<ListState>) => void
}

/** A field that searches the list of calls. */
export function SearchField({ state, onChange }: SessionSearchProps) {
  return (
    <search class="search-field">
      <label class="sr" for="query">
        Search calls
      </label>
      <input
        id="query"
        type="search"
        placeholder="Search words, callers, agents, ids"
        maxLength={200}
        value={state.query}
        onInput={(event) => onChange({ query: event.currentTarget.value })}
      />
    </search>
  )
}

/** Which calls are listed, and in which order. */
export function ListControls({ state, onChange }: SessionSearchProps) {
  return (
    <div class="list-controls">
      <div role="radiogroup" aria-label="Filter calls" class="filters">
        {keysOf(filters).map((each) => (
          <label key={each} class={each === state.filter ? 'on' : ''}>
            <input
              type="radio"
              name="filter"
              value={each}
              checked={each === state.filter}
              onChange={() => onChange({ filter: each })}
            />
            {each}
          </label>
        ))}
      </div>
      <select
        aria-label="Period"
        value={state.period}
        onChange={({ currentTarget }) => onChange({ period: currentTarget.value as ListState['period'] })}
      >
        {keysOf(periods).map((each) => (
          <option key={each} value={each}>
            {periods[each].name}
          </option>
        ))}
      </select>
      <select
        aria-label="Order"
        value={state.sort}
        onChange={({ currentTarget }) => onChange({ sort: currentTarget.value as ListState['sort'] })}
      >
        {keysOf(sorts).map((each) => (
          <option key={each} value={each}>
            {sorts[each]}
          </option>
        ))}
      </select>
    </div>
  )
}

const keysOf = <Name extends string>(of: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(of) as Name[]
