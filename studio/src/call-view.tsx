import { useRef, useState } from 'preact/hooks'
import { AlivePanel } from './alive-panel.tsx'
import { CallNotices } from './call-notices.tsx'
import { activityOf, runningTools } from './conversation.ts'
import { EndedPanel } from './ended-panel.tsx'
import { FaultsPanel } from './faults-panel.tsx'
import { Gauge, Level } from './gauge.tsx'
import { Keypad } from './keypad.tsx'
import { LatencyStrip } from './latency-strip.tsx'
import type { Phone } from './phone.ts'
import { callPlace, info, reach } from './store.ts'
import { clockText } from './texts.ts'
import { Transcript } from './transcript.tsx'
import { useTick } from './use-tick.ts'

/** Talk to the agent, and see what that makes alive, and how it ends. */
export function CallView({ phone }: { readonly phone: Phone }) {
  const session = phone.session.value
  const report = session?.report.value
  const inCall = phone.state.value !== 'idle' && phone.state.value !== 'ended'
  return (
    <div class="call-view">
      <h1 class="sr">Call</h1>
      {report && session && <EndedPanel key={session.id} report={report} text={() => session.text()} fresh />}
      <div class="columns">
        <section class={`panel phone ${inCall ? 'in-call' : ''}`} aria-labelledby="phone-title">
          <h2 id="phone-title" class="sr">
            The call
          </h2>
          <Instrument phone={phone} />
          <CallNotices phone={phone} />
          {inCall || session ? <Talk phone={phone} inCall={inCall} /> : <Welcome />}
        </section>
        <div class="side">
          <AlivePanel session={session} />
          <FaultsPanel />
        </div>
      </div>
    </div>
  )
}

/** The head of the call: who, how long, what the agent does, and the buttons. */
function Instrument({ phone }: { readonly phone: Phone }) {
  const state = phone.state.value
  const inCall = state !== 'idle' && state !== 'ended'
  const conversation = phone.session.value?.conversation.value
  const activity = state === 'live' && conversation ? activityOf(conversation) : undefined
  const [tool] = conversation ? runningTools(conversation) : []
  const closing = state === 'ended' && phone.session.value && !phone.session.value.report.value
  const doing = activity === 'thinking' && tool ? tool.says || `${tool.name}…` : words[state]
  return (
    <div class="instrument">
      <div class="top">
        <div class="who">
          <span class="name">{info.value?.agent ?? info.value?.name ?? 'The agent'}</span>
          <span class="sub">{closing ? 'the call is over, the session is closing…' : doing}</span>
        </div>
        <Elapsed phone={phone} />
      </div>
      {inCall && (
        <>
          <Gauge activity={activity} />
          <Level level={phone.level.value} muted={phone.muted.value} />
        </>
      )}
      <Controls phone={phone} inCall={inCall} />
    </div>
  )
}

const words = {
  idle: 'ready',
  connecting: 'calling…',
  live: 'in the call',
  rejoining: 'coming back…',
  ended: 'the call is over',
} as const

function Elapsed({ phone }: { readonly phone: Phone }) {
  const session = phone.session.value
  const tree = session?.tree.value
  const report = session?.report.value
  useTick(500, tree !== undefined && !report)
  const lived = report?.lived ?? (session && tree ? session.now - tree.bornAt : 0)
  return (
    <span class="elapsed" role="timer" aria-label="Length of the call">
      {clockText(lived)}
    </span>
  )
}

function Controls({ phone, inCall }: { readonly phone: Phone; readonly inCall: boolean }) {
  const [keys, setKeys] = useState(false)
  const place = callPlace.value
  const call = (): void => {
    if (place) phone.call(place).catch(() => {})
  }
  if (!inCall)
    return (
      <div class="controls">
        <button type="button" class="primary" onClick={call} disabled={reach.value !== 'online' || !place}>
          {phone.state.value === 'ended' ? 'Call again' : 'Call'}
        </button>
        {info.value && !info.value.call && <span class="quiet">This host takes no calls from the page.</span>}
      </div>
    )
  const muted = phone.muted.value
  return (
    <>
      <div class="controls">
        <button type="button" aria-pressed={muted} onClick={() => phone.mute(!muted)}>
          {muted ? 'Unmute' : 'Mute'}
        </button>
        <button type="button" aria-expanded={keys} onClick={() => setKeys(!keys)}>
          Keypad
        </button>
        <button type="button" class="end" onClick={() => phone.hangUp()}>
          Hang up
        </button>
      </div>
      {keys && <Keypad press={(key) => phone.press(key)} disabled={phone.state.value !== 'live'} />}
    </>
  )
}

function Talk({ phone, inCall }: { readonly phone: Phone; readonly inCall: boolean }) {
  const conversation = phone.session.value?.conversation.value
  const talk = { say: (text: string) => phone.say(text), disabled: phone.state.value !== 'live' }
  return (
    <>
      {conversation && <LatencyStrip latencies={conversation.latencies} />}
      <Transcript
        entries={conversation?.entries ?? []}
        hearing={conversation?.hearing ?? ''}
        live
        empty={inCall ? 'Nothing was said yet. Speak, or type below.' : 'Nothing was said.'}
      />
      {inCall && <Composer {...talk} />}
      {inCall && <Phrases {...talk} />}
    </>
  )
}

interface Talking {
  readonly say: (text: string) => void
  /** Nobody is there to read it: what is sent now would be lost. */
  readonly disabled: boolean
}

function Composer({ say, disabled }: Talking) {
  const field = useRef<HTMLInputElement>(null)
  const submit = (event: Event): void => {
    event.preventDefault()
    const { current } = field
    const text = current?.value.trim() ?? ''
    if (!current || text === '') return
    say(text)
    current.value = ''
    current.focus()
  }
  return (
    <form class="composer" onSubmit={submit}>
      <label class="sr" for="composer">
        Type instead of speaking
      </label>
      <input
        id="composer"
        ref={field}
        maxLength={2_000}
        autocomplete="off"
        placeholder="Type instead of speaking"
      />
      <button type="submit" disabled={disabled}>
        Send
      </button>
    </form>
  )
}

/** What can be said, where the models understand these sentences only. */
function Phrases({ say, disabled }: Partial<Talking>) {
  const phrases = info.value?.phrases ?? []
  if (phrases.length === 0) return null
  return (
    <div class={say ? 'phrases' : 'phrases plain'}>
      <h3>{say ? 'Say, or press' : 'What you can say'}</h3>
      <ul>
        {phrases.map((phrase) => (
          <li key={phrase}>
            {say ? (
              <button type="button" class="phrase" disabled={disabled} onClick={() => say(phrase)}>
                {phrase}
              </button>
            ) : (
              <q>{phrase}</q>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

const roles: Readonly<Record<string, string>> = {
  stt: 'hears with',
  llm: 'thinks with',
  tts: 'speaks with',
  realtime: 'hears and speaks with',
}

function Welcome() {
  const models = Object.entries(info.value?.models ?? {}).filter(([role]) => roles[role])
  return (
    <div class="welcome">
      <p class="lead">
        Press <b>Call</b>, and talk. Interrupt it. Hang up in the middle of a sentence, and see how the
        session ended.
      </p>
      <Phrases />
      {models.length > 0 && (
        <p class="quiet">{models.map(([role, name]) => `${roles[role]} ${name}`).join(' · ')}</p>
      )}
    </div>
  )
}
