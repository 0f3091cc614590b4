import { createRoot } from 'react-dom/client'
// #region console
import '@pipecat-ai/voice-ui-kit/styles'
import { ConsoleTemplate, FullScreenContainer, ThemeProvider } from '@pipecat-ai/voice-ui-kit'
import { WavMediaManager } from '@pipecat-ai/websocket-transport'

const mediaManager = new WavMediaManager(512, 16_000)

function Console({ host }: { host: string }) {
  return (
    <ThemeProvider>
      <FullScreenContainer>
        <ConsoleTemplate
          transportType="websocket"
          transportOptions={{ mediaManager }}
          startBotParams={{ endpoint: `${host}/start` }}
          titleText="Bright Dental"
          noUserVideo
          noScreenControl
          noBotVideo
          // There is no track to show: over WebSocket, the transport plays the sound by itself.
          noBotAudio
        />
      </FullScreenContainer>
    </ThemeProvider>
  )
}
// #endregion

const host = new URLSearchParams(location.search).get('host') ?? 'http://localhost:4600'

createRoot(document.querySelector('#root')!).render(<Console host={host} />)
