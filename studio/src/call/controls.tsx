import { useEffect, useState } from 'preact/hooks'
import { connection, faultsOn, info } from '../host/store.ts'
import { callPlace } from './call-place.ts'
import { Keypad } from './keypad.tsx'
import type { Phone } from './phone.ts'
import { SoundSettings } from './sound-settings.tsx'
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
  const [sound, setSound] = useState(false)
  return (
    <>
      <div class="controls">
        <button
          type="button"
          class="primary"
          onClick={call}
          disabled={connection.value !== 'online' || !place}
        >
          {phone.state.value === 'ended' ? 'Call again' : 'Call'}
        </button>
        {place && <SoundButton open={sound} press={() => setSound(!sound)} />}
        {info.value && !place && <span class="quiet">This host does not accept calls from the page.</span>}
        {info.value?.records && place && <span class="quiet">Calls are recorded.</span>}
        {faultsOn.value.length > 0 && (
          <span class="fault-note">
            {faultsOn.value.length === 1 ? 'A fault is on' : `${faultsOn.value.length} faults are on`}:{' '}
            {faultsOn.value.join(', ')}
          </span>
        )}
      </div>
      {sound && <SoundSettings phone={phone} />}
    </>
  )
}

function InCall({ phone }: { readonly phone: Phone }) {
  const [keypad, setKeypad] = useState(false)
  const [sound, setSound] = useState(false)
  const muted = phone.muted.value
  return (
    <>
      <div class="controls">
        {phone.pushToTalk.value ? (
          <TalkButton phone={phone} />
        ) : (
          <button
            type="button"
            class={muted ? 'muted' : ''}
            aria-pressed={muted}
            onClick={() => phone.mute(!muted)}
          >
            {muted ? 'Unmute' : 'Mute'}
          </button>
        )}
        <button type="button" aria-expanded={keypad} onClick={() => setKeypad(!keypad)}>
          Keypad
        </button>
        <SoundButton open={sound} press={() => setSound(!sound)} />
        <button type="button" class="end" onClick={() => phone.hangUp()}>
          Hang up
        </button>
      </div>
      {sound && <SoundSettings phone={phone} />}
      {keypad && <Keypad press={(key) => phone.press(key)} disabled={phone.state.value !== 'live'} />}
    </>
  )
}

function SoundButton({ open, press }: { readonly open: boolean; readonly press: () => void }) {
  return (
    <button type="button" aria-expanded={open} onClick={press}>
      Sound
    </button>
  )
}

/** Turns the microphone on while it is held, or while the space bar is held anywhere but in a field or on a button. */
function TalkButton({ phone }: { readonly phone: Phone }) {
  useEffect(() => {
    const key = (on: boolean) => (event: KeyboardEvent) => {
      const { target } = event
      const isBusy =
        target instanceof Element && target.closest('input, select, button:not(.talk), a, summary')
      if (event.code !== 'Space' || isBusy) return
      event.preventDefault()
      if (!event.repeat) phone.mute(!on)
    }
    const [down, up] = [key(true), key(false)]
    // A key that is released in another window is never seen.
    const left = (): void => phone.mute(true)
    addEventListener('keydown', down)
    addEventListener('keyup', up)
    addEventListener('blur', left)
    return () => {
      removeEventListener('keydown', down)
      removeEventListener('keyup', up)
      removeEventListener('blur', left)
    }
  }, [phone])
  return (
    <button
      type="button"
      class={`talk ${phone.muted.value ? '' : 'on'}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        phone.mute(false)
      }}
      onPointerUp={() => phone.mute(true)}
      onPointerCancel={() => phone.mute(true)}
    >
      {phone.muted.value ? 'Hold to talk' : 'Talking…'}
    </button>
  )
}
