import type { SessionSummary } from '../../../src/host/wire/index.ts'
import { systemClock } from '../../../src/scope/index.ts'
import { reasons } from '../ended/verdict.ts'
import { linkTo } from '../shared/route.ts'
import { agoText, clockText, timeText } from '../shared/texts.ts'
import { useTick } from '../shared/use-tick.ts'
import './sessions-table.css'

const columns = [
  { name: 'status', title: 'Status' },
  { name: 'session', title: 'Session' },
  { name: 'reason', title: 'Reason' },
  { name: 'duration number', title: 'Duration' },
  { name: 'turns number', title: 'Turns' },
  { name: 'close-time number', title: 'Close time' },
  { name: 'when number', title: 'When' },
] as const

/** A row for each session. */
export function SessionsTable({ sessions }: { readonly sessions: readonly SessionSummary[] }) {
  useTick(1_000)
  const now = systemClock.date()
  return (
    <table class="list">
      <thead>
        <tr>
          {columns.map(({ name, title }) => (
            <th key={name} scope="col" class={name}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <Row key={session.id} session={session} now={now} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ session, now }: { readonly session: SessionSummary; readonly now: number }) {
  const { id, agent, from, state, clean, reason, lived, turns, took, addedAt, closedAt } = session
  const status = state === 'closed' ? (clean ? 'clean' : 'not clean') : state
  const failure = failureOf(session)
  const cells = [
    <span class="badge">{status}</span>,
    <>
      <a href={linkTo(id)}>{id}</a>
      <span class="sub">{[agent, from].filter((each) => each !== undefined).join(' · ')}</span>
    </>,
    <>
      {reason ? reasons[reason] : '–'}
      {failure !== undefined && <span class="sub bad">{failure}</span>}
    </>,
    clockText(lived ?? now - addedAt),
    turns,
    took === undefined ? '–' : timeText(took),
    agoText(closedAt ?? addedAt, now),
  ]
  return (
    <tr class={state !== 'closed' ? 'live' : clean ? 'clean' : 'unclean'}>
      {columns.map(({ name }, index) => (
        <td key={name} class={name}>
          {cells[index]}
        </td>
      ))}
    </tr>
  )
}

/** What went wrong, in a few words. */
function failureOf({ culprit, reason, by }: SessionSummary): string | undefined {
  if (culprit) return `${culprit.name} ${culprit.outcome}`
  return reason === 'error' || reason === 'start-failed' ? `${by} failed` : undefined
}
