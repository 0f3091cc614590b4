import './session-search.css'

const filters = ['all', 'live', 'clean', 'not clean'] as const
export type Filter = (typeof filters)[number]

interface SessionSearchProps {
  readonly filter: Filter
  readonly onFilter: (filter: Filter) => void
  readonly query: string
  readonly onQuery: (query: string) => void
}

/** Filters and searches the list of sessions. */
export function SessionSearch({ filter, onFilter, query, onQuery }: SessionSearchProps) {
  return (
    <search class="search">
      <div role="radiogroup" aria-label="Filter sessions" class="filters">
        {filters.map((each) => (
          <label key={each} class={each === filter ? 'on' : ''}>
            <input
              type="radio"
              name="filter"
              value={each}
              checked={each === filter}
              onChange={() => onFilter(each)}
            />
            {each}
          </label>
        ))}
      </div>
      <label class="sr" for="query">
        Search sessions
      </label>
      <input
        id="query"
        type="search"
        placeholder="Search words, agent, reason"
        maxLength={200}
        value={query}
        onInput={(event) => onQuery(event.currentTarget.value)}
      />
    </search>
  )
}
