import type { Activity } from './conversation.ts'

const activities: readonly Activity[] = ['listening', 'thinking', 'speaking']

/** What the agent does, as a pointer on a scale of three. */
export function Gauge({ activity }: { readonly activity: Activity | undefined }) {
  const index = activity ? activities.indexOf(activity) : -1
  return (
    <div class={`gauge ${activity ?? 'off'}`} style={{ '--at': String(Math.max(0, index)) }}>
      <span class="sr" role="status">
        {activity ? `The agent is ${activity}` : ''}
      </span>
      <ul aria-hidden="true">
        {activities.map((each) => (
          <li key={each} class={each === activity ? 'on' : ''}>
            {each}
          </li>
        ))}
      </ul>
      <span class="pointer" aria-hidden="true" />
    </div>
  )
}

/** How loud the microphone is. */
export function Level({ level, muted }: { readonly level: number; readonly muted: boolean }) {
  // People hear in decibels: from -60 to 0.
  const share = level <= 0.001 ? 0 : Math.min(1, 1 + (20 * Math.log10(level)) / 60)
  return (
    <div class={`level ${muted ? 'muted' : ''}`}>
      <span
        class="meter"
        role="meter"
        aria-label="Microphone level"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={muted ? 0 : Math.round(share * 100)}
        style={{ '--level': muted ? '0' : share.toFixed(3) }}
      />
      <span class="label">{muted ? 'muted' : 'microphone'}</span>
    </div>
  )
}
