import { useEffect, useState } from 'preact/hooks'
import { request } from '../host/api.ts'
import { Panel } from '../shared/panel.tsx'
import { clockText } from '../shared/texts.ts'
import type { Player } from './player.ts'
import { Waveform, type Peaks } from './waveform.tsx'
import './recording-panel.css'

const speeds = [1, 1.5, 2] as const

interface RecordingPanelProps {
  readonly player: Player
  /** Whether all of the call was recorded. */
  readonly complete: boolean
}

/** The recording of a call: both sides as waveforms, and what a player needs. */
export function RecordingPanel({ player, complete }: RecordingPanelProps) {
  const [peaks, setPeaks] = useState<Peaks | undefined>(undefined)
  const [failure, setFailure] = useState('')
  const [speed, setSpeed] = useState<number>(1)
  useEffect(() => {
    const reading = new AbortController()
    request(`${player.url}/peaks`, { signal: reading.signal })
      .then(async (response) => {
        if (response.status === 204) setFailure('Nothing was written, or the file is not on this host.')
        else setPeaks((await response.json()) as Peaks)
      })
      .catch((error: Error) => setFailure(error.message))
    return () => reading.abort()
  }, [player])
  const nextSpeed = (): void => {
    const next = speeds[(speeds.indexOf(speed as 1) + 1) % speeds.length]!
    setSpeed(next)
    player.speed(next)
  }
  if (failure !== '' || player.failed.value)
    return (
      <Panel name="recording" title="Recording">
        <p class="empty">The recording of this call cannot be played here. {failure}</p>
      </Panel>
    )
  const playing = player.playing.value
  return (
    <Panel
      name="recording"
      title="Recording"
      aside={
        <a class="button quiet" href={player.url} download>
          Download
        </a>
      }
    >
      {peaks && <Waveform player={player} peaks={peaks} />}
      <div class="player">
        <button type="button" class="play" aria-pressed={playing} onClick={() => player.toggle()}>
          {playing ? 'Pause' : 'Play'}
        </button>
        <span class="position">
          {clockText(player.position.value)} / {clockText(peaks?.duration ?? 0)}
        </span>
        <button type="button" class="quiet" aria-label={`Speed ${speed}×`} onClick={nextSpeed}>
          {speed}×
        </button>
        <span class="hint">Click a word or a time in the conversation to hear it.</span>
        {!complete && <span class="hint warn">The end of the call is missing.</span>}
      </div>
    </Panel>
  )
}
