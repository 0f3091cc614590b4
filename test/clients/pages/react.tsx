import { StrictMode, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
// #region react
import { PipecatClient, RTVIEvent } from '@pipecat-ai/client-js'
import {
  PipecatClientProvider,
  usePipecatClient,
  usePipecatClientTransportState,
  usePipecatConversation,
  useRTVIClientEvent,
  type ConversationMessagePart,
} from '@pipecat-ai/client-react'
import { WavMediaManager, WebSocketTransport } from '@pipecat-ai/websocket-transport'

const client = new PipecatClient({
  transport: new WebSocketTransport({ mediaManager: new WavMediaManager(512, 16_000) }),
})

function Conversation({ host }: { host: string }) {
  const call = usePipecatClient()
  const state = usePipecatClientTransportState()
  const { messages } = usePipecatConversation()
  const [problem, setProblem] = useState('')
  useRTVIClientEvent(RTVIEvent.Error, ({ data }) => {
    const { error, message } = data as { error?: string; message?: string }
    setProblem((first) => first || (error ?? message ?? ''))
  })
  const dial = (): void => {
    // The event has the reason.
    const requestData = { transport: 'websocket' }
    call?.startBotAndConnect({ endpoint: `${host}/start`, requestData }).catch(() => {})
  }
  const hangUp = (): void => {
    call?.disconnect().catch(() => {})
  }
  return (
    <main>
      <p role="status">{state}</p>
      <p role="alert">{problem}</p>
      <ul role="log">
        {messages.map(({ role, createdAt, parts }) => (
          <li key={createdAt} data-role={role}>
            {parts.map(heardOf)}
          </li>
        ))}
      </ul>
      <button onClick={dial}>Call</button>
      <button onClick={hangUp}>Hang up</button>
    </main>
  )
}

/** The words of the caller, and of the agent's words those that the caller has heard. */
function heardOf({ text }: ConversationMessagePart): ReactNode {
  return typeof text === 'object' && text !== null && 'spoken' in text ? text.spoken : (text as ReactNode)
}
// #endregion

const host = new URLSearchParams(location.search).get('host') ?? 'http://localhost:4600'

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <PipecatClientProvider client={client}>
      <Conversation host={host} />
      <form
        onSubmit={(event) => {
          event.preventDefault()
          client.sendText(event.currentTarget.querySelector('input')!.value).catch(() => {})
        }}
      >
        <input aria-label="Type instead of speaking" />
      </form>
    </PipecatClientProvider>
  </StrictMode>,
)
// For tests.
Object.assign(document, { client })
