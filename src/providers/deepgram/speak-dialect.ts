import type { Protocol } from '../../link/index.ts'
import type { ContextDialect, ContextMessage } from '../context-dialect.ts'
import { checkSpeak, type SpeakControl, type SpeakMessage } from './speak-messages.ts'

const control = (message: SpeakControl): string => JSON.stringify(message)

/** Warnings after which no audio comes: more than 20 speeches in a minute. */
const SILENCING = /FLUSH/

/**
 * Deepgram's messages. A connection has one stream of audio in binary frames, so there is one speech at a time. Each is
 * flushed once, because Deepgram allows 20 flushes per minute.
 *
 *   end ────▶ Flush                                   ──▶ the rest, Flushed
 *   cancel ─▶ Aura: Clear; Flux: Interrupt, Flush     ──▶ Cleared; SpeechInterrupted or Flushed
 *
 * Flux ignores an `Interrupt` before the first audio of a speech: then a `Flush` ends the speech.
 */
export function speakDialect(
  request: Protocol['request'],
  isFlux: boolean,
  stallTimeout: number,
): ContextDialect<SpeakMessage> {
  let current: string | undefined
  /** The vendor's own id of the current speech. */
  let speech: string | undefined
  const [flush, stop] = [control({ type: 'Flush' }), control({ type: isFlux ? 'Interrupt' : 'Clear' })]
  return {
    request,
    stallTimeout,
    maxContexts: 1,
    check: checkSpeak,
    start: (context) => {
      current = context
      speech = undefined
      return undefined
    },
    text: (_, text) => control({ type: 'Speak', text }),
    end: () => [flush],
    cancel: (_, ended) => (isFlux && !ended ? [stop, flush] : [stop]),
    binary: () => current,
    read: (message) => {
      if (message.type === 'SpeechStarted') speech = message.speech_id
      // The end of an earlier speech, which was cancelled after it had been flushed.
      if (message.type === 'Flushed' && message.speech_id !== speech) return {}
      return read(message, current)
    },
    classify: ({ code, reason }) => (code === 1011 && reason?.includes('NET-0001') ? 'idle' : undefined),
  }
}

function read(message: SpeakMessage, context: string | undefined): ContextMessage {
  switch (message.type) {
    case 'Flushed':
    case 'Cleared':
    case 'SpeechInterrupted':
      return { context, done: true }
    case 'Warning': {
      const { code = '', description = code } = message
      return SILENCING.test(code) ? { context, error: { message: description, status: 429 } } : {}
    }
    case 'Error': {
      const { code = '', description = code } = message
      return { error: { message: description }, ends: code.startsWith('NET') ? 'dropped' : 'fatal' }
    }
    case 'SpeechStarted':
    default:
      return {}
  }
}
