import { useEffect, useMemo, useState } from 'preact/hooks'
import { ClosingPanel } from '../ended/closing-panel.tsx'
import { EndedPanel } from '../ended/ended-panel.tsx'
import { info } from '../host/store.ts'
import { activityOf } from '../live/conversation.ts'
import { EventLog } from '../live/event-log.tsx'
import { Gauge } from '../live/gauge.tsx'
import { Latency } from '../live/latency.tsx'
import { LiveSession } from '../live/live-session.ts'
import { ResourcesPanel } from '../live/resources-panel.tsx'
import { Transcript } from '../live/transcript.tsx'
import { UsageAndCost } from '../live/usage-and-cost.tsx'
import type { Player } from '../recording/player.ts'
import { Recording } from '../recording/recording.tsx'
import { isComplete, usePlayer } from '../recording/use-player.ts'
import { Columns, View } from '../shared/layout.tsx'
import { Notice } from '../shared/notice.tsx'
import { Panel } from '../shared/panel.tsx'
import { linkToList } from '../shared/route.ts'
import { lastSearch } from './list-state.ts'
import { SessionTitle } from './session-title.tsx'
import './session-view.css'

/** One call, live or closed. */
export function SessionView({ id }: { readonly id: string }) {
  const session = useMemo(() => new LiveSession(id), [id])
  useEffect(() => () => session.stop(), [session])
  const report = session.report.value
  const summary = session.summary.value
  const player = usePlayer(session)
  const live = session.tree.value !== undefined
  const [wasLive, setWasLive] = useState(false)
  useEffect(() => {
    if (live) setWasLive(true)
  }, [live])
  const failure = session.failure.value
  if (failure?.status === 404) return <Missing id={id} />
  const { latencies, spent } = session.conversation.value
  return (
    <View name="session-view">
      <SessionTitle session={session} />
      {!summary && <p class="quiet">{failure ? failure.message : 'Loading…'}</p>}
      {summary && !report && failure && failure.status !== 0 && (
        <Notice tone="bad" title="This call can no longer be followed">
          {failure.message}
        </Notice>
      )}
      <ClosingPanel session={session} />
      {report && (
        <EndedPanel report={report} text={() => session.text()} faults={summary?.faults} fresh={wasLive} />
      )}
      {summary && (
        <Columns
          side={
            <>
              <Latency turns={latencies} live={!report} />
              <UsageAndCost spent={spent} />
              {(live || !report) && <ResourcesPanel session={session} />}
            </>
          }
        >
          <Talk session={session} player={player} />
        </Columns>
      )}
      {summary && <EventLog events={session.events.value} startedAt={summary.addedAt} />}
    </View>
  )
}

function Missing({ id }: { readonly id: string }) {
  const keeps =
    info.value?.mode === 'production'
      ? 'The host deletes calls after a while.'
      : 'This host keeps the latest calls, until it stops.'
  return (
    <Panel name="missing" title="Call not found" main>
      <p class="empty">
        There is no call <code>{id}</code>. {keeps} <a href={linkToList(lastSearch.value)}>All calls</a>
      </p>
    </Panel>
  )
}

interface TalkProps {
  readonly session: LiveSession
  readonly player: Player | undefined
}

function Talk({ session, player }: TalkProps) {
  const report = session.report.value
  const conversation = session.conversation.value
  return (
    <Panel name="talk" title="Conversation">
      {!report && <Gauge activity={conversation.state === 'live' ? activityOf(conversation) : undefined} />}
      {player && report && <Recording player={player} complete={isComplete(report)} />}
      <Transcript
        entries={conversation.entries}
        interim={conversation.interim}
        live={!report}
        empty={report ? 'Nothing was said.' : 'Nothing said yet.'}
        startedAt={session.summary.value?.addedAt}
        player={player}
        decide={report ? undefined : (call, approved) => session.decide(call, approved)}
      />
    </Panel>
  )
}
