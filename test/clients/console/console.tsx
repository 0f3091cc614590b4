import { createRoot } from 'react-dom/client'
// #region console
import { useState } from 'react'
import '@pipecat-ai/voice-ui-kit/styles'
import { ConsoleTemplate, FullScreenContainer, ThemeProvider } from '@pipecat-ai/voice-ui-kit'
import { WavMediaManager as WebRtcMediaManager } from '@pipecat-ai/small-webrtc-transport'
import { WavMediaManager } from '@pipecat-ai/websocket-transport'

const mediaManagers = {
  websocket: () => new WavMediaManager(512, 16_000),
  smallwebrtc: () => new WebRtcMediaManager(),
}

interface ConsoleProps {
  host: string
  transport: keyof typeof mediaManagers
}

function Console({ host, transport }: ConsoleProps) {
  const [mediaManager] = useState(mediaManagers[transport])
  return (
    <ThemeProvider>
      <FullScreenContainer>
        <ConsoleTemplate
          transportType={transport}
          transportOptions={{ mediaManager }}
          startBotParams={{ endpoint: `${host}/start`, requestData: { transport } }}
          titleText="Bright Dental"
          noUserVideo
          noScreenControl
          noBotVideo
          // There is no track to show over WebSocket: the transport plays the sound by itself.
          noBotAudio={transport === 'websocket'}
        />
      </FullScreenContainer>
    </ThemeProvider>
  )
}
// #endregion

const query = new URLSearchParams(location.search)
const host = query.get('host') ?? 'http://localhost:4600'
const transport = query.get('transport') === 'smallwebrtc' ? 'smallwebrtc' : 'websocket'

createRoot(document.querySelector('#root')!).render(<Console host={host} transport={transport} />)
