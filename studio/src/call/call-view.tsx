import { ClosingPanel } from '../ended/closing-panel.tsx'
import { EndedPanel } from '../ended/ended-panel.tsx'
import { EventLog } from '../live/event-log.tsx'
import { Latency } from '../live/latency.tsx'
import type { LiveSession } from '../live/live-session.ts'
import { ResourcesPanel } from '../live/resources-panel.tsx'
import { Transcript } from '../live/transcript.tsx'
import { UsageAndCost } from '../live/usage-and-cost.tsx'
import { Recording } from '../recording/recording.tsx'
import { isComplete, usePlayer } from '../recording/use-player.ts'
import { Columns, View } from '../shared/layout.tsx'
import { CallNotices } from './call-notices.tsx'
import { Composer } from './composer.tsx'
import { FaultsPanel } from './faults-panel.tsx'
import { FirstView } from './first-view.tsx'
import { Instrument } from './instrument.tsx'
import type { Phone } from './phone.ts'
import { PhraseButtons } from './phrases.tsx'
import { Welcome } from './welcome.tsx'
import '../shared/panel.css'
import './call-view.css'

/** A call from the page: the conversation, what the call owns, and how it ended. */
export function CallView({ phone }: { readonly phone: Phone }) {
  const session = phone.session.value
  const report = session?.report.value
  const inCall = phone.inCall.value
  const summary = session?.summary.value
  return (
    <View name="call-view">
      <h1 class="sr">Talk to the agent</h1>
      {session && <ClosingPanel session={session} />}
      {report && session && (
        <EndedPanel
          key={session.id}
          report={report}
          text={() => session.text()}
          faults={summary?.faults}
          fresh
        />
      )}
      <Columns
        side={
          <>
            {/* First, because the resources grow and shrink. */}
            <FaultsPanel />
            {session && <ResourcesPanel session={session} />}
          </>
        }
        below={session && <Spent session={session} />}
      >
        <section class={`panel phone ${inCall ? 'in-call' : ''}`} aria-labelledby="phone-title">
          <h2 id="phone-title" class="sr">
            Phone
          </h2>
          <Instrument phone={phone} />
          <CallNotices phone={phone} />
          {inCall || session ? <Talk phone={phone} /> : <Welcome />}
        </section>
      </Columns>
      {!session && !inCall && <FirstView />}
      {session && summary && <EventLog events={session.events.value} startedAt={summary.addedAt} />}
    </View>
  )
}

/** The time and the money that the call took. */
function Spent({ session }: { readonly session: LiveSession }) {
  const { latencies, spent } = session.conversation.value
  return (
    <>
      <Latency turns={latencies} live={!session.report.value} />
      <UsageAndCost spent={spent} />
    </>
  )
}

function Talk({ phone }: { readonly phone: Phone }) {
  const session = phone.session.value
  const report = session?.report.value
  const conversation = session?.conversation.value
  const player = usePlayer(session)
  const inCall = phone.inCall.value
  const input = { say: (text: string) => phone.say(text), disabled: phone.state.value !== 'live' }
  return (
    <>
      {player && report && <Recording player={player} complete={isComplete(report)} />}
      <Transcript
        entries={conversation?.entries ?? []}
        interim={conversation?.interim ?? ''}
        live
        empty={inCall ? 'Nothing said yet. Speak, or type below.' : 'Nothing was said.'}
        startedAt={session?.summary.value?.addedAt}
        player={player}
        decide={session && !report ? (id, approved) => session.decide(id, approved) : undefined}
      />
      {inCall && <Composer {...input} />}
      {inCall && <PhraseButtons {...input} />}
    </>
  )
}
