import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from './api.ts'
import { logIn } from './store.ts'
import '../shared/panel.css'
import './login-view.css'

/** Asks for the host's secret. */
export function LoginView() {
  const field = useRef<HTMLInputElement>(null)
  const [failure, setFailure] = useState('')
  const [busy, setBusy] = useState(false)
  useEffect(() => field.current?.focus(), [])
  const submit = (event: Event): void => {
    event.preventDefault()
    setBusy(true)
    setFailure('')
    logIn(field.current?.value ?? '')
      .catch((error: unknown) => {
        setFailure(error instanceof ApiError ? error.message : 'Login failed')
        field.current?.select()
      })
      .finally(() => setBusy(false))
  }
  return (
    <section class="panel login" aria-labelledby="login-title">
      <h1 id="login-title">Log in</h1>
      <p class="quiet">
        Calls and their reports are private. Enter the secret that the host was started with.
      </p>
      <form onSubmit={submit}>
        <label for="secret">Secret</label>
        <input
          id="secret"
          ref={field}
          type="password"
          autocomplete="current-password"
          required
          aria-invalid={failure !== ''}
          aria-describedby="login-failure"
        />
        <button type="submit" class="primary" disabled={busy}>
          Log in
        </button>
        <p id="login-failure" class="bad" role="alert">
          {failure}
        </p>
      </form>
    </section>
  )
}
