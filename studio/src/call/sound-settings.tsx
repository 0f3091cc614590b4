import { useEffect, useState } from 'preact/hooks'
import type { Phone } from './phone.ts'
import './sound-settings.css'

/** Microphone, loudspeaker, volume, and push to talk. */
export function SoundSettings({ phone }: { readonly phone: Phone }) {
  const devices = useDeviceList(phone.inCall.value)
  const { microphone, speaker } = phone.devices.value
  const canChooseSpeaker = 'setSinkId' in AudioContext.prototype
  return (
    <div class="sound-settings" role="group" aria-label="Sound">
      <Choice
        label="Microphone"
        kind="audioinput"
        devices={devices}
        value={microphone}
        choose={(id) => phone.useDevices({ ...phone.devices.value, microphone: id })}
      />
      {canChooseSpeaker && (
        <Choice
          label="Loudspeaker"
          kind="audiooutput"
          devices={devices}
          value={speaker}
          choose={(id) => phone.useDevices({ ...phone.devices.value, speaker: id })}
        />
      )}
      <label>
        Volume of the agent
        <input
          type="range"
          min={0}
          max={100}
          step={5}
          value={Math.round(phone.volume.value * 100)}
          onInput={(event) => phone.setVolume(Number(event.currentTarget.value) / 100)}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={phone.pushToTalk.value}
          onChange={(event) => phone.setPushToTalk(event.currentTarget.checked)}
        />
        Push to talk
      </label>
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly kind: MediaDeviceKind
  readonly devices: readonly MediaDeviceInfo[]
  readonly value: string | undefined
  readonly choose: (id: string | undefined) => void
}

function Choice({ label, kind, devices, value, choose }: ChoiceProps) {
  // Browsers hide the names of devices until the page may use the microphone.
  const known = devices.filter(
    (each) => each.kind === kind && each.label !== '' && each.deviceId !== 'default',
  )
  return (
    <label>
      {label}
      <select value={value ?? ''} onChange={({ currentTarget }) => choose(currentTarget.value || undefined)}>
        <option value="">Default</option>
        {known.map(({ deviceId, label: name }) => (
          <option key={deviceId} value={deviceId}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The sound devices, again each time that one was connected or a call began. */
function useDeviceList(inCall: boolean): readonly MediaDeviceInfo[] {
  const [devices, setDevices] = useState<readonly MediaDeviceInfo[]>([])
  useEffect(() => {
    // A page that was not loaded over https has none.
    const media = navigator.mediaDevices as MediaDevices | undefined
    const look = (): void => {
      media
        ?.enumerateDevices()
        .then(setDevices)
        .catch(() => {})
    }
    look()
    media?.addEventListener('devicechange', look)
    return () => media?.removeEventListener('devicechange', look)
  }, [inCall])
  return devices
}
