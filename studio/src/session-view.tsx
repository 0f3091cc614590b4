import { useEffect, useMemo, useState } from 'preact/hooks'
import { AlivePanel } from './alive-panel.tsx'
import { activityOf, transcriptOf } from './conversation.ts'
import { EndedPanel } from './ended-panel.tsx'
import { Gauge } from './gauge.tsx'
import { LatencyStrip } from './latency-strip.tsx'
import { LiveSession } from './live-session.ts'
import { Notice } from './notice.tsx'
import { Transcript } from './transcript.tsx'

/** One session: as it lives, or how it ended. */
export function SessionView({ id }: { readonly id: string }) {
  const session = useMemo(() => new LiveSession(id), [id])
  useEffect(() => () => session.stop(), [session])
  const trouble = session.trouble.value
  const report = session.report.value
  const [watched, setWatched] = useState(false)
  const live = session.tree.value !== undefined
  useEffect(() => {
    if (live) setWatched(true)
  }, [live])
  if (trouble?.status === 404)
    return (
      <section class="panel" aria-labelledby="missing-title">
        <header>
          <h1 id="missing-title">Session {id}</h1>
        </header>
        <p class="empty">
          The host does not know this session. It keeps the last ones only, and forgets them when it is
          started anew. <a href="#/sessions">All sessions</a>
        </p>
      </section>
    )
  return (
    <div class="session-view">
      <div class="title">
        <a href="#/sessions">Sessions</a>
        <h1>{id}</h1>
        {session.summary.value && !report && <Actions session={session} />}
      </div>
      {!session.summary.value && <p class="empty">Asking the host…</p>}
      {report && <EndedPanel report={report} text={() => session.text()} fresh={watched} />}
      <div class="columns">
        <Talk session={session} />
        {(live || !report) && (
          <div class="side">
            <AlivePanel session={session} />
          </div>
        )}
      </div>
    </div>
  )
}

function Talk({ session }: { readonly session: LiveSession }) {
  const report = session.report.value
  const conversation = session.conversation.value
  const entries =
    report && conversation.entries.length === 0 ? transcriptOf(report.transcript) : conversation.entries
  return (
    <section class="panel phone" aria-labelledby="talk-title">
      <header>
        <h2 id="talk-title">What was said</h2>
      </header>
      {!report && <Gauge activity={conversation.state === 'live' ? activityOf(conversation) : undefined} />}
      <LatencyStrip latencies={conversation.latencies} />
      <Transcript entries={entries} hearing={conversation.hearing} live={!report} empty="Nothing was said." />
    </section>
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
      <div class="actions">
        <button type="button" class="quiet" onClick={act('interrupt')}>
          Interrupt
        </button>
        <button type="button" class="quiet" onClick={act('drain')}>
          Let it finish
        </button>
        <button type="button" class="end" onClick={act('close')}>
          Close now
        </button>
      </div>
      {failure !== '' && <Notice tone="bad" title={failure} />}
    </>
  )
}
