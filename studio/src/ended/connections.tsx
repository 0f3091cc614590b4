import type { SessionReport } from '../../../src/session/index.ts'
import { retriesText } from '../shared/texts.ts'
import { nameText } from '../shared/words.ts'
import './connections.css'

const hows: Readonly<Record<string, string>> = { aborted: 'cut off', dropped: 'lost' }

/** How each connection ended, and who else asked for the close. */
export function Connections({ report: { connections, alsoAsked } }: { readonly report: SessionReport }) {
  return (
    <>
      {connections.length > 0 && (
        <div class="connections">
          <h3>Connections</h3>
          <ul>
            {connections.map(({ name, how, code, reason, retries }, index) => (
              <li key={index} class={how === 'aborted' || how === 'dropped' ? 'bad' : 'good'}>
                <b>{nameText(name)}</b> <span class="how">{hows[how] ?? how}</span>
                {code === undefined ? '' : ` ${code}`}
                {reason ? ` ${reason}` : ''}
                {retries > 0 ? `, ${retriesText(retries)}` : ''}
              </li>
            ))}
          </ul>
        </div>
      )}
      {alsoAsked.length > 0 && (
        <p class="also">
          Later close requests:{' '}
          {alsoAsked.map(({ reason, by }) => reason + (by ? ` (${by})` : '')).join(', ')}
        </p>
      )}
    </>
  )
}
