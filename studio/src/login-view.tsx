import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from './api.ts'
import { logIn } from './store.ts'

/** The host has a secret: whoever knows it may come in. */
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
        setFailure(error instanceof ApiError ? error.message : 'something failed')
        field.current?.select()
      })
      .finally(() => setBusy(false))
  }
  return (
    <section class="panel login" aria-labelledby="login-title">
      <h1 id="login-title">This host has a secret</h1>
      <p class="quiet">Reports hold what callers said. Whoever started the host knows the secret.</p>
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
          Come in
        </button>
        <p id="login-failure" class="bad" role="alert">
          {failure}
        </p>
      </form>
    </section>
  )
}
