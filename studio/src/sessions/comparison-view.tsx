import { useEffect, useMemo } from 'preact/hooks'
import { reasons, verdictOf } from '../ended/verdict.ts'
import { LiveSession } from '../live/live-session.ts'
import { Transcript } from '../live/transcript.tsx'
import { View } from '../shared/layout.tsx'
import { Panel } from '../shared/panel.tsx'
import { linkTo } from '../shared/route.ts'
import { percentileOf } from '../live/latency-figures.ts'
import { clockText, timeText } from '../shared/texts.ts'
import './comparison-view.css'

/** Two sessions beside each other: their figures, and what was said. */
export function ComparisonView({ ids }: { readonly ids: readonly [string, string] }) {
  const [first, second] = ids
  const one = useSession(first)
  const other = useSession(second)
  const figures = [figuresOf(one), figuresOf(other)] as const
  return (
    <View name="comparison">
      <p>
        <a href="#/sessions">Sessions</a>
      </p>
      <Panel name="figures-of-two" title="Comparison" main>
        <div class="scroll" tabIndex={0} role="region" aria-label="Figures of both sessions">
          <table>
            <thead>
              <tr>
                <td />
                {ids.map((id) => (
                  <th key={id} scope="col">
                    <a href={linkTo(id)}>{id}</a>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {figures[0].map(([name, value], index) => {
                const beside = figures[1][index]?.[1] ?? '–'
                return (
                  <tr key={name} class={value === beside ? '' : 'differs'}>
                    <th scope="row">{name}</th>
                    <td>{value}</td>
                    <td>{beside}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      </Panel>
      <div class="both">
        <Side id={first} name="one" session={one} />
        <Side id={second} name="other" session={other} />
      </div>
    </View>
  )
}

function useSession(id: string): LiveSession {
  const session = useMemo(() => new LiveSession(id), [id])
  useEffect(() => () => session.stop(), [session])
  return session
}

interface SideProps {
  readonly id: string
  readonly name: string
  readonly session: LiveSession
}

function Side({ id, name, session }: SideProps) {
  const missing = session.failure.value?.status === 404
  return (
    <Panel name={`talk-of-${name}`} title={`Conversation ${id}`}>
      <Transcript
        entries={session.conversation.value.entries}
        empty={missing ? 'Session not found.' : 'Nothing was said.'}
        label={`Transcript of ${id}`}
        startedAt={session.summary.value?.addedAt}
      />
    </Panel>
  )
}

function figuresOf(session: LiveSession): readonly (readonly [string, string])[] {
  const summary = session.summary.value
  const report = session.report.value
  const latencies = session.conversation.value.latencies.map(({ ms }) => ms)
  const median = percentileOf(latencies, 0.5)
  const slowest = latencies.length > 0 ? Math.max(...latencies) : undefined
  const time = (ms: number | undefined): string => (ms === undefined ? '–' : timeText(ms))
  return [
    ['When', summary ? new Date(summary.addedAt).toLocaleString() : '–'],
    ['Agent', summary?.agent ?? '–'],
    ['Caller', summary?.from ?? '–'],
    ['How the call ended', report ? reasons[report.reason] : (summary?.state ?? '–')],
    ['How the close went', report ? verdictOf(report).sentence : '–'],
    ['Duration', report ? clockText(report.lived) : '–'],
    ['Close time', time(report?.took)],
    ['Turns', String(summary?.turns ?? '–')],
    ['Tool calls', String(report?.usage.toolCalls ?? '–')],
    ['Errors', String(summary?.errors ?? '–')],
    ['Median latency', time(median)],
    ['Slowest answer', time(slowest)],
  ]
}
