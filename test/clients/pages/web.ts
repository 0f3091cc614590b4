import { PipecatClient } from '@pipecat-ai/client-js'
import { WavMediaManager, WebSocketTransport } from '@pipecat-ai/websocket-transport'

const host = new URLSearchParams(location.search).get('host') ?? 'http://localhost:4600'
const find = (selector: string): HTMLElement => document.querySelector(selector)!
const [status, problem, log] = ['status', 'alert', 'log'].map((role) => find(`[role=${role}]`))

/** Shows a text in the log: in its own entry, or in one that exists. */
function show(id: string, text: string): void {
  const entry = document.getElementById(id) ?? log!.appendChild(document.createElement('li'))
  Object.assign(entry, { id, textContent: text })
}

let turns = 0

// #region web
const client = new PipecatClient({
  // By default, the transport loads its microphone code from a CDN. `WavMediaManager` is part of the package.
  transport: new WebSocketTransport({ mediaManager: new WavMediaManager(512, 16_000) }),
  callbacks: {
    onTransportStateChanged: (state) => (status!.textContent = state),
    onUserTranscript: ({ text, final }) => final && show(`user ${++turns}`, text),
    // A sentence of the agent. `accumulated_text` is what the caller has heard of it.
    onBotOutput: ({ segment_id, spoken_progress }) =>
      show(`agent ${segment_id}`, spoken_progress?.accumulated_text ?? ''),
    // Also says why a call was refused, and that it has ended.
    onError: ({ data }) => {
      const { error, message } = data as { error?: string; message?: string }
      problem!.textContent ||= error ?? message ?? ''
    },
  },
})

find('#call').addEventListener('click', () => {
  // `onError` has shown the reason.
  client.startBotAndConnect({ endpoint: `${host}/start` }).catch(() => {})
})
find('#hang-up').addEventListener('click', () => {
  client.disconnect().catch(() => {})
})
// #endregion

find('form').addEventListener('submit', (event) => {
  event.preventDefault()
  client.sendText(document.querySelector('input')!.value).catch(() => {})
})
// For tests.
Object.assign(document, { client })
