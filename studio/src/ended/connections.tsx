import type { SessionReport } from '../../../src/session/index.ts'
import { retriesText } from '../shared/texts.ts'
import { nameText } from '../shared/words.ts'
import { reasons } from './verdict.ts'
import './connections.css'

const hows: Readonly<Record<string, string>> = { aborted: 'cut off', dropped: 'lost' }

/** How connections ended, if there is more to say than the waterfall does, and who else asked for the close. */
export function Connections({ report: { connections, alsoAsked } }: { readonly report: SessionReport }) {
  const told = connections.filter(
    ({ how, code, retries }) => how === 'dropped' || code !== undefined || retries > 0,
  )
  return (
    <>
      {told.length > 0 && (
        <div class="connections">
          <h3>How connections ended</h3>
          <ul>
            {told.map(({ name, how, code, reason, retries }, index) => (
              <li key={index} class={how === 'aborted' || how === 'dropped' ? 'bad' : 'good'}>
                <b>{nameText(name)}</b> <span class="how">{hows[how] ?? how}</span>
                {code === undefined && !reason ? '' : ` (${[code, reason].filter(Boolean).join(' ')})`}
                {retries > 0 ? `, ${retriesText(retries)}` : ''}
              </li>
            ))}
          </ul>
        </div>
      )}
      {alsoAsked.length > 0 && (
        <p class="also">Then also: {alsoAsked.map(({ reason, by }) => askText(reason, by)).join(', ')}</p>
      )}
    </>
  )
}

/** `the host was shutting down`, or the words of whoever asked. */
function askText(reason: string, by: string | undefined): string {
  const known = (reasons as Readonly<Record<string, string>>)[reason]
  const text = known ? known[0]!.toLowerCase() + known.slice(1) : reason
  return by === undefined ? text : `${text} (by ${by})`
}
