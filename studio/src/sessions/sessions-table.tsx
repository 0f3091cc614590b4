import { wentWrong, type SessionSummary } from '../../../src/host/wire/index.ts'
import { systemClock } from '../../../src/scope/index.ts'
import { endings, failureOf, reasons } from '../ended/verdict.ts'
import { paceOf } from '../live/latency-figures.ts'
import { Pace } from '../live/pace.tsx'
import { stageTexts } from '../live/stage-texts.ts'
import { linkTo } from '../shared/route.ts'
import { agoText, clockText, exactDateText, moneyText, timeText } from '../shared/texts.ts'
import { useTick } from '../shared/use-tick.ts'
import { firstWordsOf } from './first-words.ts'
import './sessions-table.css'

const columns = [
  { name: 'choice', title: 'Compare' },
  { name: 'status', title: 'Status' },
  { name: 'session', title: 'Call' },
  { name: 'reason', title: 'How it ended' },
  { name: 'response number', title: 'Response time' },
  { name: 'duration number', title: 'Duration' },
  { name: 'cost number', title: 'Cost' },
  { name: 'when number', title: 'Started' },
] as const

interface SessionsTableProps {
  readonly sessions: readonly SessionSummary[]
  /** The ids of the calls that are to be compared. */
  readonly chosen?: readonly string[]
  /** Without it, calls cannot be chosen. */
  readonly onChoose?: (id: string, on: boolean) => void
}

/** A row for each call. */
export function SessionsTable({ sessions, chosen = [], onChoose }: SessionsTableProps) {
  useTick(sessions.some(({ state }) => state !== 'closed') ? 1_000 : 10_000)
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
  const { id, agent, from, lived, turns, addedAt, recordings } = session
  const { look, text } = statusOf(session)
  const about = [from, agent, turns === 1 ? '1 turn' : `${turns} turns`]
  const cells = [
    onChoose && (
      <input
        type="checkbox"
        aria-label={`Compare ${id}`}
        checked={chosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
    ),
    <span class="badge">{text}</span>,
    <>
      <a href={linkTo(id)}>
        <span class="said">{firstWordsOf(session)}</span>
        <span class="sr"> {id}</span>
      </a>
      <span class="sub">{about.filter((each) => each !== undefined).join(' · ')}</span>
    </>,
    <Ending session={session} />,
    <Response session={session} />,
    <>
      {recordings !== undefined && (
        <span class="recorded" title="Recorded">
          <span aria-hidden="true">▶</span>
          <span class="sr">recorded</span>
        </span>
      )}
      {clockText(lived ?? now - addedAt)}
    </>,
    <Cost session={session} />,
    <time dateTime={new Date(addedAt).toISOString()} title={exactDateText(addedAt)}>
      {agoText(addedAt, now)}
    </time>,
  ]
  return (
    <tr class={look}>
      {columnsFor(onChoose).map(({ name, title }) => (
        <td key={name} class={name}>
          {cells[columns.findIndex((column) => column.title === title)]}
        </td>
      ))}
    </tr>
  )
}

/** How a call is doing: its state, or how it went. */
function statusOf(session: SessionSummary): { readonly look: string; readonly text: string } {
  if (session.state !== 'closed') return { look: 'live', text: session.state }
  if (session.clean === false) return { look: 'not-clean', text: 'not clean' }
  return wentWrong(session) ? { look: 'tool-failed', text: 'tool failed' } : { look: 'clean', text: 'clean' }
}

/** How the call ended, and what went wrong. */
function Ending({ session }: { readonly session: SessionSummary }) {
  const { reason, ended, faults } = session
  const failure = failureOf(session)
  return (
    <>
      {reason ? (
        <span class={`ending ${ended ? endings[ended].tone : 'plain'}`}>{reasons[reason]}</span>
      ) : (
        <None />
      )}
      {failure !== undefined && <span class="sub failure">{failure}</span>}
      {faults && <span class="sub">with faults: {faults.join(', ')}</span>}
    </>
  )
}

function Response({ session: { latency } }: { readonly session: SessionSummary }) {
  if (!latency) return <None />
  const { p50, p95, stage } = latency
  return (
    <>
      {timeText(p50)}
      <span class="sub">
        p95 <Pace ms={p95} />
        {stage && paceOf(p95) !== 'fast' && (
          <span class="stage">, {stageTexts[stage].name.toLowerCase()}</span>
        )}
      </span>
    </>
  )
}

function Cost({ session: { cost } }: { readonly session: SessionSummary }) {
  if (!cost) return <None />
  return (
    <>
      {moneyText(cost.total, cost.currency)}
      {cost.unpriced && <span class="sub">without {cost.unpriced.join(', ')}</span>}
    </>
  )
}

/** There is no value, or not yet. */
function None() {
  return <span class="none">–</span>
}
