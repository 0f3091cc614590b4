import { useState } from 'preact/hooks'
import { connection, faultsOn, info } from '../host/store.ts'
import { callPlace } from './call-place.ts'
import { Keypad } from './keypad.tsx'
import type { Phone } from './phone.ts'
import './controls.css'

/** The buttons of the phone: to call, and during a call to mute, to show the keypad, and to hang up. */
export function Controls({ phone }: { readonly phone: Phone }) {
  return phone.inCall.value ? <InCall phone={phone} /> : <Idle phone={phone} />
}

function Idle({ phone }: { readonly phone: Phone }) {
  const place = callPlace.value
  const call = (): void => {
    if (place) phone.call(place).catch(() => {})
  }
  return (
    <div class="controls">
      <button type="button" class="primary" onClick={call} disabled={connection.value !== 'online' || !place}>
        {phone.state.value === 'ended' ? 'Call again' : 'Call'}
      </button>
      {info.value && !place && <span class="quiet">This host does not accept calls from the page.</span>}
      {info.value?.records && place && <span class="quiet">Calls are recorded.</span>}
      {faultsOn.value.length > 0 && (
        <span class="fault-note">
          {faultsOn.value.length === 1 ? 'A fault is on' : `${faultsOn.value.length} faults are on`}:{' '}
          {faultsOn.value.join(', ')}
        </span>
      )}
    </div>
  )
}

function InCall({ phone }: { readonly phone: Phone }) {
  const [keypad, setKeypad] = useState(false)
  const muted = phone.muted.value
  return (
    <>
      <div class="controls">
        <button type="button" aria-pressed={muted} onClick={() => phone.mute(!muted)}>
          {muted ? 'Unmute' : 'Mute'}
        </button>
        <button type="button" aria-expanded={keypad} onClick={() => setKeypad(!keypad)}>
          Keypad
        </button>
        <button type="button" class="end" onClick={() => phone.hangUp()}>
          Hang up
        </button>
      </div>
      {keypad && <Keypad press={(key) => phone.press(key)} disabled={phone.state.value !== 'live'} />}
    </>
  )
}
