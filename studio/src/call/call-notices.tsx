import { Notice } from '../shared/notice.tsx'
import type { CallTrouble } from './call-client.ts'
import type { Phone } from './phone.ts'

const texts: Readonly<
  Record<CallTrouble, { readonly tone: 'bad' | 'warn'; readonly title: string; readonly help: string }>
> = {
  'microphone-denied': {
    tone: 'warn',
    title: 'Microphone access denied',
    help: 'You can type below and hear the agent. To speak, allow the microphone for this page in the address bar, then call again.',
  },
  'microphone-missing': {
    tone: 'warn',
    title: 'No microphone found',
    help: 'You can type below and hear the agent. To speak, connect a microphone, then call again.',
  },
  'microphone-failed': {
    tone: 'warn',
    title: 'Microphone not working',
    help: 'Another program may be using it. You can type below and hear the agent.',
  },
  'sound-blocked': {
    tone: 'warn',
    title: 'Sound blocked by the browser',
    help: 'The browser allows sound after a click on the page.',
  },
  'sound-failed': {
    tone: 'warn',
    title: 'No sound output',
    help: 'The browser could not open an audio device. You can read the transcript and type below.',
  },
  'webrtc-failed': {
    tone: 'warn',
    title: 'No connection over WebRTC',
    help: 'This network may not let it through. The call goes over WebSocket instead.',
  },
  replaced: {
    tone: 'warn',
    title: 'Call moved to another window',
    help: 'Only the last page that joins a call stays in it.',
  },
  unanswered: {
    tone: 'bad',
    title: 'No answer',
    help: 'The agent could not take the call. See the server log.',
  },
  busy: { tone: 'warn', title: 'All lines are busy', help: 'Call again in a moment.' },
  gone: {
    tone: 'warn',
    title: 'Call ended',
    help: 'It ended while the connection was interrupted. Its report is in the list of calls.',
  },
  refused: { tone: 'bad', title: 'Call refused', help: 'The server is not accepting calls.' },
  unreachable: {
    tone: 'bad',
    title: 'Server unreachable',
    help: 'Check that the server is running, then call again.',
  },
  lost: { tone: 'bad', title: 'Connection lost', help: 'The page could not rejoin the call in time.' },
}

/** The problems of the current call. */
export function CallNotices({ phone }: { readonly phone: Phone }) {
  const trouble = phone.trouble.value
  return (
    <>
      {phone.state.value === 'rejoining' && (
        <Notice tone="warn" title="Connection interrupted">
          Reconnecting. The agent may not hear what you say now.
        </Notice>
      )}
      {trouble && (
        <Notice
          tone={texts[trouble.what].tone}
          title={texts[trouble.what].title}
          {...(trouble.what === 'sound-blocked'
            ? { action: { text: 'Turn sound on', press: () => phone.unblock() } }
            : {})}
        >
          {texts[trouble.what].help}
          {trouble.detail ? ` (${trouble.detail})` : ''}
        </Notice>
      )}
    </>
  )
}
