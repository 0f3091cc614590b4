import { PipecatClient } from '@pipecat-ai/client-js'
import { SmallWebRTCTransport, WavMediaManager } from '@pipecat-ai/small-webrtc-transport'
import { callbacks } from './callbacks.ts'
import { find, host, prepare } from './elements.ts'

const audio = document.querySelector('audio')!

// #region webrtc
const client = new PipecatClient({
  transport: new SmallWebRTCTransport({ mediaManager: new WavMediaManager() }),
  callbacks: {
    ...callbacks,
    // The agent's voice is a track, which the page has to play.
    onTrackStarted: (track, participant) => {
      if (!participant?.local && track.kind === 'audio') audio.srcObject = new MediaStream([track])
    },
  },
})

find('#call').addEventListener('click', () => {
  const requestData = { transport: 'webrtc' }
  client.startBotAndConnect({ endpoint: `${host}/start`, requestData }).catch(() => {})
})
find('#hang-up').addEventListener('click', () => {
  client.disconnect().catch(() => {})
})
// #endregion

prepare(client)
