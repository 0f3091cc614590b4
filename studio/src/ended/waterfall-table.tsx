import type { ComponentChildren } from 'preact'
import type { Bar, Waterfall, WaterfallRow } from './waterfall.ts'
import './waterfall-table.css'

/** Every step of a close on a time axis, with its outcome by colour and by word. */
export function WaterfallTable({ waterfall }: { readonly waterfall: Waterfall }) {
  const { rows, ticks, deadline } = waterfall
  if (rows.length === 0) return <p class="empty">There was nothing to close.</p>
  return (
    <div class="waterfall" role="table" aria-label="Steps of the close">
      <div class="axis" role="row">
        <Header name="name">
          <span class="sr">Name</span>
        </Header>
        <Header name="track">
          <span class="sr">Time</span>
          <span aria-hidden="true">
            {ticks.map(({ at, text }) => (
              <span key={text} class="tick" style={{ left: `${at}%` }}>
                {text}
              </span>
            ))}
            {deadline && (
              <span class="deadline-text" style={{ left: `${deadline.at}%` }}>
                deadline {deadline.text}
                {deadline.beyond ? ' ▸' : ''}
              </span>
            )}
          </span>
        </Header>
        <Header name="outcome">outcome</Header>
        <Header name="took">time</Header>
      </div>
      {rows.map((row, index) => (
        // Rows are only added at the end of their section, and have no state.
        <TableRow key={index} row={row} deadline={deadline} />
      ))}
    </div>
  )
}

function Header({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <span class={name} role="columnheader">
      {children}
    </span>
  )
}

interface TableRowProps {
  readonly row: WaterfallRow
  readonly deadline: Waterfall['deadline']
}

function TableRow({ row, deadline }: TableRowProps) {
  const depth = { '--depth': String(row.depth) }
  const line = deadline && (
    <span class={`deadline ${deadline.beyond ? 'beyond' : ''}`} style={{ left: `${deadline.at}%` }} />
  )
  if (row.type === 'phase')
    return (
      <div class="phase" role="row" style={depth}>
        <span class="name" role="rowheader">
          {row.name}
        </span>
        <span class="track" role="presentation">
          {line}
        </span>
      </div>
    )
  if (row.type === 'note')
    return (
      <div class={`note ${row.tone}`} role="row" style={depth}>
        <span role="cell">{row.text}</span>
      </div>
    )
  return (
    <div class={`step ${row.kind} ${row.tone} ${row.open ? 'open' : ''}`} role="row" style={depth}>
      <span class="name" role="rowheader">
        <span class="text">{row.name}</span>
        {tagged.has(row.kind) && <span class="tag">{row.kind}</span>}
      </span>
      <span class="track" role="cell" aria-hidden="true">
        {line}
        {row.waits !== true && <BarOf bar={row} />}
      </span>
      <span class="outcome" role="cell">
        {row.outcome}
      </span>
      <span class="took" role="cell">
        {row.took}
      </span>
    </div>
  )
}

/** The kinds that are named next to a step. */
const tagged: ReadonlySet<Bar['kind']> = new Set(['opening', 'deferred'])

function BarOf({ bar: { kind, left, width, shielded, goesOn } }: { readonly bar: Bar }) {
  return (
    <span
      class={`bar ${kind} ${goesOn ? 'goes-on' : ''} ${shielded > 0 ? 'shielded' : ''}`}
      style={{ left: `${left}%`, width: `${width}%`, '--shielded': `${shielded}%` }}
    />
  )
}
