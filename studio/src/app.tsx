import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { callPlace } from './call/call-place.ts'
import { CallView } from './call/call-view.tsx'
import type { Phone } from './call/phone.ts'
import { Head } from './head.tsx'
import { LoginView } from './host/login-view.tsx'
import { connection, newVersion, retry } from './host/store.ts'
import { ComparisonView } from './sessions/comparison-view.tsx'
import { SessionView } from './sessions/session-view.tsx'
import { SessionsView } from './sessions/sessions-view.tsx'
import { announcement } from './shared/announcement.ts'
import { Notice } from './shared/notice.tsx'
import { routeOf } from './shared/route.ts'
import './app.css'

const route = signal(routeOf(location.hash))

/** The page: its head, the open view, and announcements for screen readers. */
export function App({ phone }: { readonly phone: Phone }) {
  useEffect(() => {
    /** How far the list was scrolled when it was left. */
    let listAt = 0
    const moved = (): void => {
      if (route.value.view === 'sessions') listAt = scrollY
      route.value = routeOf(location.hash)
      // A new view starts at its top, for screen readers as well. The list is where it was.
      document.querySelector('main')?.focus({ preventScroll: true })
      scrollTo(0, route.value.view === 'sessions' ? listAt : 0)
    }
    addEventListener('hashchange', moved)
    return () => removeEventListener('hashchange', moved)
  }, [])
  const place = callPlace.value
  useEffect(() => {
    // The page was reloaded during a call.
    if (place && phone.canRejoin) phone.call(place, { rejoin: true }).catch(() => {})
  }, [place, phone])
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <Head view={route.value.view} />
      <main id="main" tabIndex={-1}>
        {connection.value === 'offline' && (
          <Notice tone="bad" title="Server not responding" action={{ text: 'Retry now', press: retry }}>
            Check that the server is running. The page shows the last known state and keeps retrying.
          </Notice>
        )}
        {newVersion.value !== undefined && (
          <Notice
            tone="good"
            title={`Version ${newVersion.value} answers new calls`}
            action={{ text: 'OK', press: () => (newVersion.value = undefined) }}
          >
            Calls in progress keep their version.
          </Notice>
        )}
        {connection.value === 'unauthorised' ? <LoginView /> : <OpenView phone={phone} />}
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

function OpenView({ phone }: { readonly phone: Phone }) {
  const { value } = route
  if (value.view === 'session') return <SessionView key={value.id} id={value.id} />
  if (value.view === 'comparison') return <ComparisonView key={value.ids.join(' ')} ids={value.ids} />
  return value.view === 'sessions' ? <SessionsView search={value.search} /> : <CallView phone={phone} />
}
