import { useEffect, useMemo } from 'preact/hooks'
import { latencyFiguresOf } from '../../../src/host/wire/index.ts'
import { reasons, verdictOf } from '../ended/verdict.ts'
import { LiveSession } from '../live/live-session.ts'
import { stageTexts } from '../live/stage-texts.ts'
import { Transcript } from '../live/transcript.tsx'
import { Recording } from '../recording/recording.tsx'
import { isComplete, usePlayer } from '../recording/use-player.ts'
import { View } from '../shared/layout.tsx'
import { Panel } from '../shared/panel.tsx'
import { linkTo, linkToList } from '../shared/route.ts'
import { clockText, costText, dateText, timeText } from '../shared/texts.ts'
import { firstWordsOf } from './first-words.ts'
import { lastSearch } from './list-state.ts'
import './comparison-view.css'

/** Two calls beside each other: their figures, and what was said. */
export function ComparisonView({ ids }: { readonly ids: readonly [string, string] }) {
  const [first, second] = ids
  const one = useSession(first)
  const other = useSession(second)
  const figures = [figuresOf(one), figuresOf(other)] as const
  return (
    <View name="comparison">
      <p>
        <a class="back" href={linkToList(lastSearch.value)}>
          Calls
        </a>
      </p>
      <Panel name="figures-of-two" title="Comparison of two calls" main>
        <table>
          <thead>
            <tr>
              <td />
              {[one, other].map((session) => (
                <th key={session.id} scope="col">
                  <a href={linkTo(session.id)}>
                    {titleOf(session)}
                    <span class="sr"> {session.id}</span>
                  </a>
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
      </Panel>
      <div class="both">
        <Side name="one" session={one} />
        <Side name="other" session={other} />
      </div>
    </View>
  )
}

function useSession(id: string): LiveSession {
  const session = useMemo(() => new LiveSession(id), [id])
  useEffect(() => () => session.stop(), [session])
  return session
}

function titleOf(session: LiveSession): string {
  if (session.failure.value?.status === 404) return `There is no call ${session.id}`
  const summary = session.summary.value
  return summary ? firstWordsOf(summary) : 'Loading…'
}

function Side({ name, session }: { readonly name: string; readonly session: LiveSession }) {
  const report = session.report.value
  const player = usePlayer(session)
  return (
    <Panel name={`talk-of-${name}`} title={titleOf(session)}>
      {player && report && (
        <Recording player={player} complete={isComplete(report)} label={`Recording of ${session.id}`} />
      )}
      <Transcript
        entries={session.conversation.value.entries}
        empty="Nothing was said."
        label={`Transcript of ${session.id}`}
        startedAt={session.summary.value?.addedAt}
        player={player}
      />
    </Panel>
  )
}

function figuresOf(session: LiveSession): readonly (readonly [string, string])[] {
  const summary = session.summary.value
  const report = session.report.value
  const latency = latencyFiguresOf(session.conversation.value.latencies)
  const cost = session.conversation.value.spent?.cost
  const time = (ms: number | undefined): string => (ms === undefined ? '–' : timeText(ms))
  return [
    ['Started', summary ? dateText(summary.addedAt) : '–'],
    ['Caller', summary?.from ?? '–'],
    ['Agent', summary?.agent ?? '–'],
    ['How it ended', report ? reasons[report.reason] : (summary?.state ?? '–')],
    ['How it closed', report ? verdictOf(report).sentence : '–'],
    ['Faults', summary?.faults?.join(', ') ?? 'none'],
    ['Duration', report ? clockText(report.lived) : '–'],
    ['Turns', String(summary?.turns ?? '–')],
    ['Tool calls', String(report?.usage.toolCalls ?? '–')],
    ['Failed tools', summary?.failedTools?.join(', ') ?? 'none'],
    ['Errors', String(summary?.errors ?? '–')],
    ['Response time, p50', time(latency?.p50)],
    ['Response time, p95', time(latency?.p95)],
    ['Slowest stage', latency?.stage ? stageTexts[latency.stage].name : '–'],
    ['Cost', cost ? costText(cost) : '–'],
    ['Close time', time(report?.took)],
  ]
}
