import { useEffect, useMemo, useState } from 'preact/hooks'
import { ClosingPanel } from '../ended/closing-panel.tsx'
import { EndedPanel } from '../ended/ended-panel.tsx'
import { activityOf } from '../live/conversation.ts'
import { Gauge } from '../live/gauge.tsx'
import { EventLog } from '../live/event-log.tsx'
import { Latency } from '../live/latency.tsx'
import { LiveSession } from '../live/live-session.ts'
import { ResourcesPanel } from '../live/resources-panel.tsx'
import { Transcript } from '../live/transcript.tsx'
import { UsageAndCost } from '../live/usage-and-cost.tsx'
import type { Player } from '../recording/player.ts'
import { RecordingPanel } from '../recording/recording-panel.tsx'
import { isComplete, usePlayer } from '../recording/use-player.ts'
import { ActionBar } from '../shared/action-bar.tsx'
import { Columns, View } from '../shared/layout.tsx'
import { Notice } from '../shared/notice.tsx'
import { Panel } from '../shared/panel.tsx'
import './session-view.css'

/** One session, live or closed. */
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
  if (session.failure.value?.status === 404) return <Missing id={id} />
  return (
    <View name="session-view">
      <div class="title">
        <a href="#/sessions">Sessions</a>
        <h1>{id}</h1>
        {session.summary.value && !report && <Actions session={session} />}
      </div>
      {!session.summary.value && <p class="quiet">Loading…</p>}
      <ClosingPanel session={session} />
      {report && (
        <EndedPanel report={report} text={() => session.text()} faults={summary?.faults} fresh={wasLive} />
      )}
      {player && report && <RecordingPanel player={player} complete={isComplete(report)} />}
      <Columns side={(live || !report) && <ResourcesPanel session={session} />}>
        <Talk session={session} player={player} />
      </Columns>
      {summary && <EventLog events={session.events.value} startedAt={summary.addedAt} />}
    </View>
  )
}

function Missing({ id }: { readonly id: string }) {
  return (
    <Panel name="missing" title={`Session ${id}`} main>
      <p class="empty">
        Session not found. The host keeps only the latest sessions, and none after a restart.{' '}
        <a href="#/sessions">All sessions</a>
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
  const { entries } = conversation
  return (
    <Panel name="talk" title="Conversation">
      {!report && <Gauge activity={conversation.state === 'live' ? activityOf(conversation) : undefined} />}
      <Latency turns={conversation.latencies} />
      {conversation.spent && <UsageAndCost spent={conversation.spent} />}
      <Transcript
        entries={entries}
        interim={conversation.interim}
        live={!report}
        empty="Nothing was said."
        startedAt={session.summary.value?.addedAt}
        player={player}
        decide={report ? undefined : (call, approved) => session.decide(call, approved)}
      />
    </Panel>
  )
}

function Actions({ session }: { readonly session: LiveSession }) {
  const [failure, setFailure] = useState('')
  const act = (verb: 'close' | 'drain' | 'interrupt') => (): void => {
    setFailure('')
    session.act(verb).catch((error: Error) => setFailure(error.message))
  }
  return (
    <>
      <ActionBar>
        <button type="button" class="quiet" onClick={act('interrupt')}>
          Interrupt
        </button>
        <button type="button" class="quiet" onClick={act('drain')}>
          Drain
        </button>
        <button type="button" class="end" onClick={act('close')}>
          Close now
        </button>
      </ActionBar>
      {failure !== '' && <Notice tone="bad" title={failure} />}
    </>
  )
}
