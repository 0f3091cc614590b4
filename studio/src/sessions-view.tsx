import { useEffect, useState } from 'preact/hooks'
import type { SessionSummary } from '../../src/host/wire/index.ts'
import { systemClock } from '../../src/scope/index.ts'
import { read } from './api.ts'
import { linkTo } from './route.ts'
import { sessions } from './store.ts'
import { agoText, clockText, timeText } from './texts.ts'
import { useTick } from './use-tick.ts'
import { reasons } from './verdict.ts'

const filters = ['all', 'live', 'clean', 'not clean'] as const
type Filter = (typeof filters)[number]

const fits: Readonly<Record<Filter, (session: SessionSummary) => boolean>> = {
  all: () => true,
  live: ({ state }) => state !== 'closed',
  clean: ({ clean }) => clean === true,
  'not clean': ({ clean }) => clean === false,
}

/** All sessions that the host knows, the newest first, as they change. */
export function SessionsView() {
  const [filter, setFilter] = useState<Filter>('all')
  const [words, setWords] = useState('')
  const found = useSearch(words)
  useTick(1_000)
  const all = sessions.value
  const shown = all?.filter((session) => fits[filter](session) && (found?.has(session.id) ?? true))
  return (
    <section class="panel sessions" aria-labelledby="sessions-title">
      <header>
        <h1 id="sessions-title">Sessions</h1>
        <search class="search">
          <div role="radiogroup" aria-label="Which sessions" class="filters">
            {filters.map((each) => (
              <label key={each} class={each === filter ? 'on' : ''}>
                <input
                  type="radio"
                  name="filter"
                  value={each}
                  checked={each === filter}
                  onChange={() => setFilter(each)}
                />
                {each}
              </label>
            ))}
          </div>
          <label class="sr" for="words">
            Search in sessions
          </label>
          <input
            id="words"
            type="search"
            placeholder="Search: words, agent, reason"
            maxLength={200}
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </search>
      </header>
      {all === undefined && <p class="empty">Asking the host…</p>}
      {all?.length === 0 && (
        <p class="empty">
          No sessions yet. <a href="#/">Make a call</a>, and it will stand here: while it lives, and how it
          ended.
        </p>
      )}
      {all && all.length > 0 && shown?.length === 0 && <p class="empty">No session fits.</p>}
      {shown && shown.length > 0 && <List sessions={shown} />}
    </section>
  )
}

/** The ids of the sessions in which the words occur; undefined if there are none to look for. */
function useSearch(words: string): ReadonlySet<string> | undefined {
  const [found, setFound] = useState<ReadonlySet<string> | undefined>(undefined)
  const wanted = words.trim()
  const list = sessions.value
  useEffect(() => {
    if (wanted === '') {
      setFound(undefined)
      return undefined
    }
    const asking = new AbortController()
    // Not at every letter.
    const timer = systemClock.after(120, 'search', () => {
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

function List({ sessions: shown }: { readonly sessions: readonly SessionSummary[] }) {
  const now = systemClock.date()
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">How</th>
          <th scope="col">Session</th>
          <th scope="col">Why it ended</th>
          <th scope="col" class="number">
            Lasted
          </th>
          <th scope="col" class="number">
            Turns
          </th>
          <th scope="col" class="number">
            Close
          </th>
          <th scope="col" class="number">
            When
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((session) => (
          <Line key={session.id} session={session} now={now} />
        ))}
      </tbody>
    </table>
  )
}

function Line({ session, now }: { readonly session: SessionSummary; readonly now: number }) {
  const { id, agent, from, state, clean, reason, by, culprit, lived, turns, took, addedAt, closedAt } =
    session
  const how = state === 'closed' ? (clean ? 'clean' : 'not clean') : state
  return (
    <tr class={how.replace(' ', '-')}>
      <td>
        <span class="badge">{how}</span>
      </td>
      <td>
        <a href={linkTo(id)}>{id}</a>
        <span class="sub">{[agent, from].filter((each) => each !== undefined).join(' · ')}</span>
      </td>
      <td>
        {reason ? reasons[reason] : '–'}
        {culprit && (
          <span class="sub bad">
            {culprit.name} {culprit.outcome}
          </span>
        )}
        {!culprit && (reason === 'error' || reason === 'start-failed') && (
          <span class="sub bad">{by} failed</span>
        )}
      </td>
      <td class="number">{clockText(lived ?? now - addedAt)}</td>
      <td class="number">{turns}</td>
      <td class="number">{took === undefined ? '–' : timeText(took)}</td>
      <td class="number">{agoText(closedAt ?? addedAt, now)}</td>
    </tr>
  )
}
