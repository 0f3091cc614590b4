import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { systemClock } from '../../src/scope/clock.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { linkTo } from './route.ts'
import { announcement } from './store.ts'
import { clockText, timeText } from './texts.ts'
import { verdictOf } from './verdict.ts'
import { waterfallOf, type Bar, type Waterfall, type WaterfallRow } from './waterfall.ts'

interface EndedPanelProps {
  readonly report: SessionReport
  readonly text: () => Promise<string>
  /** It has ended before one's eyes: say so, and go there. */
  readonly fresh?: boolean
}

/** How a session ended: in a sentence, in figures, and as bars over time. */
export function EndedPanel({ report, text, fresh = false }: EndedPanelProps) {
  const verdict = useMemo(() => verdictOf(report), [report])
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!fresh) return
    announcement.value = `${verdict.reason} ${verdict.sentence}`
    title.current?.focus()
  }, [fresh, verdict])
  return (
    <section class={`panel ended ${verdict.clean ? 'clean' : 'unclean'}`} aria-labelledby="ended-title">
      <header>
        <h2 id="ended-title" tabIndex={-1} ref={title}>
          How it ended
        </h2>
        <Actions report={report} text={text} />
      </header>
      <div class="verdict">
        <span class="stamp">{verdict.clean ? 'clean' : 'not clean'}</span>
        <div>
          <p class="sentence">{verdict.sentence}</p>
          <p class="reason">{verdict.reason}</p>
        </div>
      </div>
      {verdict.others.length > 0 && (
        <ul class="others">
          {verdict.others.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      <Figures report={report} />
      <Picture waterfall={useMemo(() => waterfallOf(report.scope), [report])} />
      <Connections report={report} />
    </section>
  )
}

function Figures({ report }: { readonly report: SessionReport }) {
  const { took, closeTimeout, lived, usage, connections } = report
  const figures: readonly (readonly [string, string])[] = [
    ['to close', timeText(took)],
    ['deadline', timeText(closeTimeout)],
    ['lived', clockText(lived)],
    ['turns', String(usage.turns)],
    ['tool calls', String(usage.toolCalls)],
    ['connections', String(connections.length)],
  ]
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Actions({ report, text }: { readonly report: SessionReport; readonly text: () => Promise<string> }) {
  const [done, setDone] = useState('')
  useEffect(() => {
    if (done === '') return undefined
    announcement.value = done
    const timer = systemClock.after(2_500, 'end of a note', () => setDone(''))
    return () => timer.clear()
  }, [done])
  const copy = (what: string, make: () => string | Promise<string>) => (): void => {
    Promise.resolve(make())
      .then((words) => navigator.clipboard.writeText(words))
      .then(() => setDone(`${what} copied`))
      .catch(() => setDone('The browser did not allow it'))
  }
  const download = (): void => {
    const url = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `session-${report.id}.json`
    link.click()
    URL.revokeObjectURL(url)
  }
  const permalink = new URL(linkTo(report.id), location.href).href
  return (
    <div class="actions">
      <span class="done">{done}</span>
      <button type="button" class="quiet" onClick={copy('Report', text)}>
        Copy as text
      </button>
      <button type="button" class="quiet" onClick={download}>
        Download JSON
      </button>
      <button type="button" class="quiet" onClick={copy('Link', () => permalink)}>
        Copy link
      </button>
    </div>
  )
}

/** Every step on the axis of time; outcomes by colour and by word. */
function Picture({ waterfall: { rows, ticks, deadline } }: { readonly waterfall: Waterfall }) {
  if (rows.length === 0) return <p class="empty">Nothing was left to end.</p>
  return (
    <div class="waterfall" role="table" aria-label="Every step of the close">
      <div class="axis" role="row">
        <span class="name" role="columnheader">
          <span class="sr">Name</span>
        </span>
        <span class="track" role="columnheader">
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
        </span>
        <span class="outcome" role="columnheader">
          outcome
        </span>
        <span class="took" role="columnheader">
          took
        </span>
      </div>
      {rows.map((row, index) => (
        // The rows of a report never change.
        <PictureRow key={index} row={row} deadline={deadline} />
      ))}
    </div>
  )
}

const tags: Readonly<Record<Bar['kind'], string>> = {
  task: '',
  opening: 'opening',
  resource: '',
  deferred: 'deferred',
  scope: 'scope',
}

function PictureRow({
  row,
  deadline,
}: {
  readonly row: WaterfallRow
  readonly deadline: Waterfall['deadline']
}) {
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
  const bar = { left: `${row.left}%`, width: `${row.width}%`, '--shielded': `${row.shielded}%` }
  return (
    <div class={`step ${row.tone}`} role="row" style={depth}>
      <span class="name" role="rowheader">
        <span class="text">{row.name}</span>
        {tags[row.kind] !== '' && <span class="tag">{tags[row.kind]}</span>}
      </span>
      <span class="track" role="cell" aria-hidden="true">
        {line}
        <span
          class={`bar ${row.kind} ${row.goesOn ? 'goes-on' : ''} ${row.shielded > 0 ? 'shielded' : ''}`}
          style={bar}
        />
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

function Connections({ report: { connections, alsoAsked } }: { readonly report: SessionReport }) {
  return (
    <>
      {connections.length > 0 && (
        <div class="connections">
          <h3>Connections</h3>
          <ul>
            {connections.map(({ name, how, code, reason, retries }, index) => (
              <li key={index} class={how === 'aborted' || how === 'dropped' ? 'bad' : 'good'}>
                <b>{name}</b> <span class="how">{how}</span>
                {code === undefined ? '' : ` ${code}`}
                {reason ? ` ${reason}` : ''}
                {retries > 0 ? `, ${retries} retries` : ''}
              </li>
            ))}
          </ul>
        </div>
      )}
      {alsoAsked.length > 0 && (
        <p class="also">
          Also asked to end it:{' '}
          {alsoAsked.map(({ reason, by }) => reason + (by ? ` (${by})` : '')).join(', ')}
        </p>
      )}
    </>
  )
}
