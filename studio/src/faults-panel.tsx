import { useState } from 'preact/hooks'
import { faults, switchFault } from './store.ts'

/** A button for each fault. They exist in the demo and in dev only. */
export function FaultsPanel() {
  const [busy, setBusy] = useState('')
  const [failure, setFailure] = useState('')
  if (faults.value.length === 0) return null
  const press = (name: string, on: boolean) => (): void => {
    setBusy(name)
    setFailure('')
    switchFault(name, on)
      .catch((error: Error) => setFailure(error.message))
      .finally(() => setBusy(''))
  }
  const count = faults.value.filter(({ on }) => on).length
  return (
    <section class="panel faults" aria-labelledby="faults-title">
      <header>
        <h2 id="faults-title">Break something</h2>
        {count > 0 && <span class="count bad">{count} on</span>}
      </header>
      <p class="about">Press one, hang up, and watch the session end well all the same.</p>
      <ul>
        {faults.value.map(({ name, about, on }, index) => (
          <li key={name} class={on ? 'fault on' : 'fault'}>
            <button
              type="button"
              aria-pressed={on}
              aria-describedby={`fault-${index}`}
              disabled={busy === name}
              onClick={press(name, !on)}
            >
              <span class="switch" aria-hidden="true" />
              {name}
            </button>
            <p id={`fault-${index}`}>{about}</p>
          </li>
        ))}
      </ul>
      {failure !== '' && (
        <p class="empty bad" role="alert">
          {failure}
        </p>
      )}
    </section>
  )
}
