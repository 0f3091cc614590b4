import { PipecatClient } from '@pipecat-ai/client-js'
import { WavMediaManager, WebSocketTransport } from '@pipecat-ai/websocket-transport'
import { callbacks } from './callbacks.ts'
import { find, host, prepare } from './elements.ts'

// #region web
const client = new PipecatClient({
  // By default, the transport loads its microphone code from a CDN. `WavMediaManager` is part of the package.
  transport: new WebSocketTransport({ mediaManager: new WavMediaManager(512, 16_000) }),
  callbacks,
})

find('#call').addEventListener('click', () => {
  // `onError` has shown the reason.
  const requestData = { transport: 'websocket' }
  client.startBotAndConnect({ endpoint: `${host}/start`, requestData }).catch(() => {})
})
find('#hang-up').addEventListener('click', () => {
  client.disconnect().catch(() => {})
})
// #endregion

prepare(client)
