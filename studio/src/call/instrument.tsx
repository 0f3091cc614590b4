import { info } from '../host/store.ts'
import { activityOf, runningTools, type Activity } from '../live/conversation.ts'
import { Gauge } from '../live/gauge.tsx'
import { clockText } from '../shared/texts.ts'
import { useTick } from '../shared/use-tick.ts'
import { Controls } from './controls.tsx'
import { SoundBars } from './sound-bars.tsx'
import type { Phone } from './phone.ts'
import './instrument.css'

const stateTexts = {
  idle: 'Ready',
  connecting: 'Calling…',
  live: 'In call',
  rejoining: 'Reconnecting…',
  ended: 'Call ended',
} as const

const transportNames = { websocket: 'WebSocket', webrtc: 'WebRTC' } as const

/** The top of the call: the agent, the duration, the agent's activity, the microphone, and the buttons. */
export function Instrument({ phone }: { readonly phone: Phone }) {
  const conversation = phone.session.value?.conversation.value
  const muted = phone.muted.value
  const activity = phone.state.value === 'live' && conversation ? activityOf(conversation) : undefined
  return (
    <div class="instrument">
      <div class="top">
        <div class="who">
          <span class="name">{info.value?.agent ?? info.value?.name ?? 'Agent'}</span>
          <span class="sub">{statusOf(phone, activity)}</span>
        </div>
        <Elapsed phone={phone} />
      </div>
      {phone.inCall.value && (
        <>
          <Gauge activity={activity} />
          <div class="sounds">
            <SoundBars
              name="You"
              label="Microphone level"
              tone="caller"
              level={phone.level}
              note={muted ? 'Muted' : undefined}
            />
            <SoundBars name="Agent" label="Level of the agent" tone="agent" level={phone.agentLevel} />
          </div>
          {(muted || phone.pushToTalk.value) && (
            // With push to talk it stays, so that the button does not move while it is held.
            <p class={muted ? 'muted-note' : 'muted-note talking'} role="status">
              {!muted
                ? 'The agent can hear you.'
                : phone.pushToTalk.value
                  ? 'Hold the button or the space bar to talk.'
                  : 'You are muted. The agent cannot hear you.'}
            </p>
          )}
        </>
      )}
      <Controls phone={phone} />
    </div>
  )
}

/** The state of the call, or the progress of a tool that the caller is waiting for. */
function statusOf(phone: Phone, activity: Activity | undefined): string {
  const state = phone.state.value
  const session = phone.session.value
  if (state === 'ended' && session && !session.report.value) return 'Call ended, closing…'
  const [tool] = activity === 'thinking' && session ? runningTools(session.conversation.value) : []
  if (tool) return tool.detail || `Running ${tool.name}…`
  const transport = phone.transport.value
  return state === 'live' && transport ? `In call over ${transportNames[transport]}` : stateTexts[state]
}

function Elapsed({ phone }: { readonly phone: Phone }) {
  const session = phone.session.value
  const tree = session?.tree.value
  const report = session?.report.value
  // The call lasts until its end was asked for, however long the close takes.
  const endedAt = session?.closing.value?.askedAt ?? phone.endedAt.value
  useTick(500, tree !== undefined && !report && endedAt === undefined)
  const elapsed = report?.lived ?? (session && tree ? (endedAt ?? session.now) - tree.createdAt : 0)
  return (
    <span class="elapsed" role="timer" aria-label="Call duration">
      {clockText(elapsed)}
    </span>
  )
}
