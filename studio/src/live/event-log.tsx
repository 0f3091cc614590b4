import { useState } from 'preact/hooks'
import type { LiveEvent } from '../../../src/host/wire/index.ts'
import { Count } from '../shared/count.tsx'
import { clockText } from '../shared/texts.ts'
import './event-log.css'

/** How many events are shown. The newest are what one looks for. */
const SHOWN = 200

interface EventLogProps {
  readonly events: readonly LiveEvent[]
  /** When the call began, in milliseconds since 1970. */
  readonly startedAt: number
}

/** Every event of the session as the host sent it, folded. */
export function EventLog({ events, startedAt }: EventLogProps) {
  const [open, setOpen] = useState(false)
  const [type, setType] = useState('')
  const types = [...new Set(events.map((event) => event.type))].toSorted()
  const found = events.filter((event) => type === '' || event.type === type)
  return (
    <details class="panel event-log" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Event log</h2>
        <Count>{events.length}</Count>
      </summary>
      {open && (
        <>
          <p class="filter">
            <label>
              Type{' '}
              <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
                <option value="">all</option>
                {types.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            </label>
            {found.length > SHOWN && (
              <span>
                The last {SHOWN} of {found.length}
              </span>
            )}
          </p>
          <ol>
            {found.slice(-SHOWN).map((event, index) => (
              <Event key={`${index} ${event.at}`} event={event} startedAt={startedAt} />
            ))}
          </ol>
        </>
      )}
    </details>
  )
}

function Event({ event, startedAt }: { readonly event: LiveEvent; readonly startedAt: number }) {
  const { at, type, ...data } = event
  return (
    <li>
      <details>
        <summary>
          <span class="time">{clockText(at - startedAt)}</span>
          <b>{type}</b>
          <code>{JSON.stringify(data)}</code>
        </summary>
        <pre tabIndex={0}>{JSON.stringify(event, undefined, 2)}</pre>
      </details>
    </li>
  )
}
