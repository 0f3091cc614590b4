import type { SessionSummary } from '../../../src/host/wire/index.ts'
import { systemClock } from '../../../src/scope/index.ts'
import { endings, reasons } from '../ended/verdict.ts'
import { linkTo } from '../shared/route.ts'
import { agoText, clockText, timeText } from '../shared/texts.ts'
import { nameText, outcomeText } from '../shared/words.ts'
import { useTick } from '../shared/use-tick.ts'
import './sessions-table.css'

const columns = [
  { name: 'choice', title: 'Compare' },
  { name: 'status', title: 'Close' },
  { name: 'session', title: 'Call' },
  { name: 'reason', title: 'How it ended' },
  { name: 'duration number', title: 'Duration' },
  { name: 'turns number', title: 'Turns' },
  { name: 'close-time number', title: 'Close time' },
  { name: 'when number', title: 'When' },
] as const

interface SessionsTableProps {
  readonly sessions: readonly SessionSummary[]
  /** The ids of the sessions that are to be compared. */
  readonly chosen?: readonly string[]
  /** Without it, sessions cannot be chosen. */
  readonly onChoose?: (id: string, on: boolean) => void
}

/** A row for each session. */
export function SessionsTable({ sessions, chosen = [], onChoose }: SessionsTableProps) {
  useTick(1_000)
  const now = systemClock.date()
  return (
    <table class="list">
      <thead>
        <tr>
          {columnsFor(onChoose).map(({ name, title }) => (
            <th key={name} scope="col" class={name}>
              {name === 'choice' ? <span class="sr">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <Row
            key={session.id}
            session={session}
            now={now}
            chosen={chosen.includes(session.id)}
            onChoose={onChoose && ((on) => onChoose(session.id, on))}
          />
        ))}
      </tbody>
    </table>
  )
}

/** The first column is for choosing. */
const columnsFor = (onChoose: unknown) => (onChoose ? columns : columns.slice(1))

interface RowProps {
  readonly session: SessionSummary
  readonly now: number
  readonly chosen: boolean
  readonly onChoose: ((on: boolean) => void) | undefined
}

function Row({ session, now, chosen, onChoose }: RowProps) {
  const { id, agent, from, state, clean, words, lived, turns, took, addedAt, closedAt } = session
  const status = state === 'closed' ? (clean ? 'clean' : 'not clean') : state
  const when = new Date(closedAt ?? addedAt)
  const about = [agent, from, session.recordings ? 'recorded' : undefined]
  const cells = [
    onChoose && (
      <input
        type="checkbox"
        aria-label={`Compare ${id}`}
        checked={chosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
    ),
    <span class="badge">{status}</span>,
    <>
      <a href={linkTo(id)}>
        <span class="said">{words ?? 'Nothing was said'}</span> <span class="id">{id}</span>
      </a>
      <span class="sub">{about.filter((each) => each !== undefined).join(' · ')}</span>
    </>,
    <Ending session={session} />,
    clockText(lived ?? now - addedAt),
    turns,
    took === undefined ? '–' : timeText(took),
    <time dateTime={when.toISOString()} title={when.toLocaleString()}>
      {agoText(when.getTime(), now)}
    </time>,
  ]
  return (
    <tr class={state !== 'closed' ? 'live' : clean ? 'clean' : 'unclean'}>
      {columnsFor(onChoose).map(({ name, title }) => (
        <td key={name} class={name}>
          {cells[columns.findIndex((column) => column.title === title)]}
        </td>
      ))}
    </tr>
  )
}

/** How the call ended, and what went wrong. */
function Ending({ session }: { readonly session: SessionSummary }) {
  const { reason, ended, faults } = session
  const failure = failureOf(session)
  return (
    <>
      <span class={`ending ${ended ? endings[ended].tone : 'plain'}`}>{reason ? reasons[reason] : '–'}</span>
      {failure !== undefined && <span class="sub bad">{failure}</span>}
      {faults && <span class="sub">with faults: {faults.join(', ')}</span>}
    </>
  )
}

/** What went wrong, in a few words. */
function failureOf({ culprit, reason, by }: SessionSummary): string | undefined {
  if (culprit) return `${nameText(culprit.name)}: ${outcomeText(culprit.outcome)}`
  return reason === 'error' || reason === 'start-failed' ? `${nameText(by ?? 'a part')} failed` : undefined
}
