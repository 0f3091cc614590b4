import { useEffect, useState } from 'preact/hooks'
import { request } from '../host/api.ts'
import { clockText } from '../shared/texts.ts'
import type { Player } from './player.ts'
import { Waveform, type Peaks } from './waveform.tsx'
import './recording.css'

const speeds = [1, 1.5, 2] as const

interface RecordingProps {
  readonly player: Player
  /** Whether all of the call was recorded. */
  readonly complete: boolean
  /** Names it for screen readers. Default: `Recording`. */
  readonly label?: string
}

/** The recording of a call: both sides as waveforms, and what a player needs. */
export function Recording({ player, complete, label = 'Recording' }: RecordingProps) {
  const [peaks, setPeaks] = useState<Peaks | undefined>(undefined)
  const [failure, setFailure] = useState('')
  useEffect(() => {
    const reading = new AbortController()
    request(`${player.url}/peaks`, { signal: reading.signal })
      .then(async (response) => {
        if (response.status === 204) setFailure('Nothing was written, or the file is not on this host.')
        else setPeaks((await response.json()) as Peaks)
      })
      .catch((error: Error) => {
        if (error.name !== 'AbortError') setFailure(error.message)
      })
    return () => reading.abort()
  }, [player])
  const failed = failure !== '' || player.failed.value
  return (
    <section class="recording" aria-label={label}>
      {failed && <p class="quiet">The recording of this call cannot be played here. {failure}</p>}
      {!failed && (
        <>
          <Waveform player={player} peaks={peaks} />
          <Buttons player={player} duration={peaks?.duration ?? 0} />
          <p class="hint">
            <span>
              Choose a word or a time below to hear it.
              {!complete && <span class="warn"> The end of the call was not recorded.</span>}
            </span>
            <a href={player.url} download>
              Download
            </a>
          </p>
        </>
      )}
    </section>
  )
}

function Buttons({ player, duration }: { readonly player: Player; readonly duration: number }) {
  const [speed, setSpeed] = useState<number>(1)
  const playing = player.playing.value
  const nextSpeed = (): void => {
    const next = speeds[(speeds.indexOf(speed as 1) + 1) % speeds.length]!
    setSpeed(next)
    player.speed(next)
  }
  return (
    <div class="player">
      <button type="button" class="play" onClick={() => player.toggle()}>
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path d={playing ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4 2.5v11l9-5.5z'} />
        </svg>
        {playing ? 'Pause' : 'Play'}
      </button>
      <button type="button" class="speed" aria-label={`Speed ${speed}×`} onClick={nextSpeed}>
        {speed}×
      </button>
      <span class="position">
        {clockText(player.position.value)} / {clockText(duration)}
      </span>
    </div>
  )
}
