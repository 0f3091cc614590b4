import './level-meter.css'

/** The quietest level on the meter, in decibels of full scale. */
const FLOOR = -60

/** The level of the microphone. */
export function LevelMeter({ level, muted }: { readonly level: number; readonly muted: boolean }) {
  const decibels = 20 * Math.log10(level)
  const share = muted || decibels <= FLOOR ? 0 : Math.min(1, 1 - decibels / FLOOR)
  return (
    <div class="level">
      <span
        class="meter"
        role="meter"
        aria-label="Microphone level"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        style={{ '--level': share.toFixed(3) }}
      />
      <span>{muted ? 'muted' : 'microphone'}</span>
    </div>
  )
}
