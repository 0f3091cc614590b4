import { CallButton, CallTranscript, CallVisualizer, useCall } from 'endwell/react'
import type { FormEvent } from 'react'

// #region app
export function App() {
  // The server of `endwell dev`: vite.config.ts passes /call on to it.
  const call = useCall({ url: '/call' })
  const { state, muted, mute, unmute } = call
  return (
    <main>
      <h1>Bright Dental</h1>
      <CallVisualizer call={call} />
      <CallTranscript
        call={call}
        names={{ caller: 'You', agent: 'Reception' }}
        empty={<p>Call us. We answer.</p>}
      />
      <CallButton call={call} />
      {state === 'live' && (
        <div className="controls">
          <button type="button" aria-pressed={muted} onClick={muted ? unmute : mute}>
            {muted ? 'Unmute' : 'Mute'}
          </button>
          <TypeInstead onText={call.sendText} />
        </div>
      )}
    </main>
  )
}

// #endregion

function TypeInstead({ onText }: { readonly onText: (text: string) => void }) {
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const text = new FormData(form).get('text')
    if (typeof text === 'string' && text.trim() !== '') onText(text)
    form.reset()
  }
  return (
    <form onSubmit={send}>
      <input name="text" aria-label="Type instead of speaking" autoComplete="off" />
      <button type="submit">Send</button>
    </form>
  )
}
