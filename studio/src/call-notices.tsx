import type { CallTrouble } from './call-client.ts'
import { Notice } from './notice.tsx'
import type { Phone } from './phone.ts'

const words: Readonly<
  Record<CallTrouble, { readonly tone: 'bad' | 'warn'; readonly title: string; readonly help: string }>
> = {
  'microphone-denied': {
    tone: 'warn',
    title: 'The microphone is not allowed',
    help: 'You can type below, and you will hear the agent. To speak, allow the microphone for this page, by the icon next to the address, and call again.',
  },
  'microphone-missing': {
    tone: 'warn',
    title: 'There is no microphone',
    help: 'You can type below, and you will hear the agent. To speak, connect a microphone and call again.',
  },
  'microphone-failed': {
    tone: 'warn',
    title: 'The microphone does not work',
    help: 'Another program may be using it. You can type below, and you will hear the agent.',
  },
  'sound-blocked': {
    tone: 'warn',
    title: 'The browser holds the sound back',
    help: 'It lets sound out after a click on the page.',
  },
  'sound-failed': {
    tone: 'warn',
    title: 'No sound comes out',
    help: 'The browser could not open its loudspeaker. You can read what is said, and type below.',
  },
  replaced: {
    tone: 'warn',
    title: 'The call goes on in another window',
    help: 'Only the last page that joined a call is in it.',
  },
  unanswered: {
    tone: 'bad',
    title: 'Nobody answered',
    help: 'The agent could not take the call. The server’s terminal says why.',
  },
  refused: { tone: 'bad', title: 'The call was refused', help: 'The server does not take calls right now.' },
  unreachable: {
    tone: 'bad',
    title: 'The server cannot be reached',
    help: 'Is it still running? The page tries again when you call again.',
  },
  lost: { tone: 'bad', title: 'The line was lost', help: 'It could not be rejoined in time.' },
}

/** What is in the way of the call. */
export function CallNotices({ phone }: { readonly phone: Phone }) {
  const trouble = phone.trouble.value
  return (
    <>
      {phone.state.value === 'rejoining' && (
        <Notice tone="warn" title="The line is interrupted">
          Coming back to the call. What you say now may be lost.
        </Notice>
      )}
      {trouble && (
        <Notice
          tone={words[trouble.what].tone}
          title={words[trouble.what].title}
          {...(trouble.what === 'sound-blocked'
            ? { action: { text: 'Let sound out', press: () => phone.unblock() } }
            : {})}
        >
          {words[trouble.what].help}
          {trouble.detail ? ` (${trouble.detail})` : ''}
        </Notice>
      )}
    </>
  )
}
