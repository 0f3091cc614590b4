import { useEffect } from 'preact/hooks'
import { CallView } from './call-view.tsx'
import { LoginView } from './login-view.tsx'
import { Notice } from './notice.tsx'
import type { Phone } from './phone.ts'
import { routeOf } from './route.ts'
import { SessionView } from './session-view.tsx'
import { SessionsView } from './sessions-view.tsx'
import { announcement, callPlace, info, liveCount, reach, retry, route } from './store.ts'

/** The page: a head, one view, and a voice for screen readers. */
export function App({ phone }: { readonly phone: Phone }) {
  useEffect(() => {
    const moved = (): void => {
      route.value = routeOf(location.hash)
      // A new view begins at its top, also for whoever hears it.
      document.querySelector('main')?.focus({ preventScroll: true })
      scrollTo(0, 0)
    }
    addEventListener('hashchange', moved)
    return () => removeEventListener('hashchange', moved)
  }, [])
  const place = callPlace.value
  useEffect(() => {
    // Loaded anew in the middle of a call.
    if (place && phone.canRejoin) phone.call(place, { rejoin: true }).catch(() => {})
  }, [place, phone])
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        To the content
      </a>
      <Head />
      <main id="main" tabIndex={-1}>
        {reach.value === 'offline' && (
          <Notice tone="bad" title="The server does not answer" action={{ text: 'Try now', press: retry }}>
            Is it still running? What you see is what was known last. The page tries again by itself.
          </Notice>
        )}
        {reach.value === 'unauthorised' ? <LoginView /> : <View phone={phone} />}
      </main>
      <p class="sr" role="status" aria-live="polite">
        {announcement.value}
      </p>
    </>
  )
}

function skip(event: Event): void {
  event.preventDefault()
  document.querySelector('main')?.focus()
}

function View({ phone }: { readonly phone: Phone }) {
  const here = route.value
  if (here.view === 'session') return <SessionView key={here.id} id={here.id} />
  return here.view === 'sessions' ? <SessionsView /> : <CallView phone={phone} />
}

function Head() {
  const { view } = route.value
  const { name, mode } = info.value ?? {}
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
          Call
        </a>
        <a href="#/sessions" aria-current={view === 'call' ? undefined : 'page'}>
          Sessions
          {liveCount.value > 0 && (
            <span class="count">
              {liveCount.value}
              <span class="sr"> live</span>
            </span>
          )}
        </a>
      </nav>
      <p class="where">
        {name && <span class="name">{name}</span>}
        {mode && <span class="mode">{mode}</span>}
        <span class={`reach ${reach.value}`}>{reach.value === 'unauthorised' ? 'locked' : reach.value}</span>
      </p>
    </header>
  )
}
