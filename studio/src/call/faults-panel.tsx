import { useState } from 'preact/hooks'
import { faults, switchFault, switchOffFaults } from '../host/store.ts'
import { Count } from '../shared/count.tsx'
import { Panel } from '../shared/panel.tsx'
import './faults-panel.css'

/** A switch for each fault that the host can inject. Hosts in production have none. */
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
  const allOff = (): void => {
    setFailure('')
    switchOffFaults().catch((error: Error) => setFailure(error.message))
  }
  const count = faults.value.filter(({ on }) => on).length
  return (
    <Panel
      name="faults"
      title="Fault injection"
      aside={
        <>
          {count > 0 && <Count bad>{count} on</Count>}
          <button type="button" class="quiet all-off" disabled={count === 0} onClick={allOff}>
            All off
          </button>
        </>
      }
    >
      <p class="about">Break something, then hang up: the call still closes on time.</p>
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
    </Panel>
  )
}
