import type { Activity } from './conversation.ts'
import './gauge.css'

const activities: readonly Activity[] = ['listening', 'thinking', 'speaking']

/** Shows what the agent is doing. */
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
