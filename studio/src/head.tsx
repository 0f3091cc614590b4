import { connection, info, liveCount } from './host/store.ts'
import { Count } from './shared/count.tsx'
import { lastSearch } from './sessions/list-state.ts'
import { linkToList, type Route } from './shared/route.ts'
import './head.css'

/** The top of the page: the views, the host, and the connection to it. */
export function Head({ view }: { readonly view: Route['view'] }) {
  const { name, mode, generation = 1 } = info.value ?? {}
  return (
    <header class="head">
      <a class="mark" href="#/">
        <svg viewBox="0 0 32 20" width="32" height="20" aria-hidden="true">
          <path d="M1 10h6l3-7 5 14 3-7h4" />
          <circle cx="28" cy="10" r="3" />
        </svg>
        endwell
      </a>
      <nav aria-label="Views">
        <a href="#/" aria-current={view === 'call' ? 'page' : undefined}>
          Talk
        </a>
        {/* Back to the list as it was left. On the list, to all calls. */}
        <a
          href={linkToList(view === 'sessions' ? '' : lastSearch.value)}
          aria-current={view === 'call' ? undefined : 'page'}
        >
          Calls
          {liveCount.value > 0 && (
            <Count>
              {liveCount.value}
              <span class="sr"> live</span>
            </Count>
          )}
        </a>
      </nav>
      <p class="where">
        {name && <span class="name">{name}</span>}
        {mode && <span class="mode">{generation > 1 ? `${mode} · version ${generation}` : mode}</span>}
        <span class={`connection ${connection.value}`}>
          {connection.value === 'unauthorised' ? 'locked' : connection.value}
        </span>
      </p>
    </header>
  )
}
