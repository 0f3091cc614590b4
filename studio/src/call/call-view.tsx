import { EndedPanel } from '../ended/ended-panel.tsx'
import { Latency } from '../live/latency.tsx'
import { UsageAndCost } from '../live/usage-and-cost.tsx'
import { ResourcesPanel } from '../live/resources-panel.tsx'
import { Transcript } from '../live/transcript.tsx'
import { Columns, View } from '../shared/layout.tsx'
import { CallNotices } from './call-notices.tsx'
import { Composer } from './composer.tsx'
import { FaultsPanel } from './faults-panel.tsx'
import { Instrument } from './instrument.tsx'
import type { Phone } from './phone.ts'
import { PhraseButtons } from './phrases.tsx'
import { Welcome } from './welcome.tsx'
import '../shared/panel.css'
import './call-view.css'

/** A call from the page: the conversation, what the session owns, and how it ended. */
export function CallView({ phone }: { readonly phone: Phone }) {
  const session = phone.session.value
  const report = session?.report.value
  const inCall = phone.inCall.value
  return (
    <View name="call-view">
      <h1 class="sr">Call</h1>
      {report && session && <EndedPanel key={session.id} report={report} text={() => session.text()} fresh />}
      <Columns
        side={
          <>
            <ResourcesPanel session={session} />
            <FaultsPanel />
          </>
        }
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
    </View>
  )
}

function Talk({ phone }: { readonly phone: Phone }) {
  const conversation = phone.session.value?.conversation.value
  const inCall = phone.inCall.value
  const input = { say: (text: string) => phone.say(text), disabled: phone.state.value !== 'live' }
  return (
    <>
      {conversation && <Latency turns={conversation.latencies} />}
      {conversation?.spent && <UsageAndCost spent={conversation.spent} />}
      <Transcript
        entries={conversation?.entries ?? []}
        interim={conversation?.interim ?? ''}
        live
        empty={inCall ? 'Nothing said yet. Speak, or type below.' : 'Nothing was said.'}
      />
      {inCall && <Composer {...input} />}
      {inCall && <PhraseButtons {...input} />}
    </>
  )
}
