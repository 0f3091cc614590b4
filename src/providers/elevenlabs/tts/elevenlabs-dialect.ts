import type { EndClass, Protocol } from '../../../link/index.ts'
import { sentences } from '../../../parts/index.ts'
import type { ContextDialect, ContextMessage, TimedCharacter } from '../../context-dialect.ts'
import {
  checkElevenLabs,
  type Alignment,
  type ContextSettings,
  type ElevenLabsMessage,
  type ElevenLabsRequest,
} from './elevenlabs-messages.ts'

/**
 * ElevenLabs allows five open contexts, and closes the connection, with every speech on it, when a sixth is opened. One is
 * left unused, because a context counts until the service has closed it.
 */
const MAX_CONTEXTS = 4

const encode = (message: ElevenLabsRequest): string => JSON.stringify(message)

/**
 * ElevenLabs' messages. Text is sent in sentences, because the service speaks each piece as soon as it has it
 * (`auto_mode`).
 *
 *   start ──▶ ' ' with the settings
 *   end ────▶ flush, close_context  ──▶ the rest, isFinal
 *   cancel ─▶ close_context         ──▶ isFinal; until then the context counts
 */
export function elevenLabsDialect(
  request: Protocol['request'],
  settings: ContextSettings,
  stallTimeout: number,
): ContextDialect<ElevenLabsMessage> {
  const close = (context_id: string): string => encode({ context_id, close_context: true })
  // With a pronunciation dictionary, `alignment` repeats characters.
  const normalized = settings.pronunciation_dictionary_locators !== undefined
  return {
    request,
    stallTimeout,
    maxContexts: MAX_CONTEXTS,
    check: checkElevenLabs,
    pieces: (text) => sentences(text),
    start: (context_id) => encode({ context_id, text: ' ', ...settings }),
    text: (context_id, text) => encode({ context_id, text: text.endsWith(' ') ? text : `${text} ` }),
    end: (context_id) => [encode({ context_id, flush: true }), close(context_id)],
    cancel: (context_id) => [close(context_id)],
    read: (message) => read(message, normalized),
    classify: ({ code, reason }) => (code === 1008 ? classOf(reason) : undefined),
  }
}

function read(message: ElevenLabsMessage, normalized: boolean): ContextMessage {
  const { contextId: context = message.context_id, audio, isFinal: done = message.is_final } = message
  if (message.error !== undefined || message.message !== undefined) {
    const error = { message: message.message ?? message.error }
    // An error without a context concerns the connection.
    if (context !== undefined) return { context, error }
    const ends = classOf(message.error) ?? (message.code === 1008 ? 'fatal' : 'dropped')
    return { error, ends }
  }
  const alignment = normalized ? message.normalizedAlignment : message.alignment
  return { context, audio, characters: alignment && charactersOf(alignment), done }
}

/** The ends with code 1008 that a new connection cures; undefined for all others. */
function classOf(reason = ''): Exclude<EndClass, 'asked'> | undefined {
  if (reason.includes('input_timeout_exceeded')) return 'idle'
  return reason.includes('max_active_conversations') ? 'dropped' : undefined
}

function charactersOf({
  chars = [],
  charStartTimesMs: starts = [],
  charDurationsMs: durations = [],
}: Alignment): TimedCharacter[] {
  return chars.map((text, index) => {
    const start = starts[index] ?? 0
    return { text, start, end: start + (durations[index] ?? 0) }
  })
}
