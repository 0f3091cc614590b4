import type { Protocol } from '../../link/index.ts'
import { sentences } from '../../parts/index.ts'
import type { ContextDialect, ContextMessage } from '../context-dialect.ts'
import { wordsOf } from '../spoken-words.ts'
import {
  checkInworld,
  type InworldCreate,
  type InworldMessage,
  type InworldRequest,
  type InworldResult,
  type InworldStatus,
} from './inworld-messages.ts'

/** Inworld allows five contexts per connection. One is left unused, because a context counts until it is closed. */
const MAX_CONTEXTS = 4

/** The HTTP status that corresponds to a code of gRPC. */
const statuses: Readonly<Record<number, number>> = {
  3: 400,
  4: 504,
  5: 404,
  7: 403,
  8: 429,
  13: 500,
  14: 503,
  16: 401,
}

/** The codes of errors that would occur again: an invalid argument, something that does not exist, a wrong key. */
const fatalCodes = new Set([3, 5, 7, 16])

const request = (message: InworldRequest): string => JSON.stringify(message)

/**
 * Inworld's messages. Text is sent in sentences, each of which the service speaks at once (`autoMode`) and completes
 * with `flushCompleted`. Times count from the start of the sentence.
 *
 *   start ──▶ create, with the settings
 *   end ────▶ flush_context, close_context  ──▶ the rest, contextClosed
 *   cancel ─▶ close_context                 ──▶ contextClosed; until then the context counts
 */
export function inworldDialect(
  dial: Protocol['request'],
  settings: InworldCreate,
  stallTimeout: number,
): ContextDialect<InworldMessage> {
  const close = (contextId: string): string => request({ contextId, close_context: {} })
  return {
    request: dial,
    stallTimeout,
    maxContexts: MAX_CONTEXTS,
    check: checkInworld,
    pieces: (text) => sentences(text),
    start: (contextId) => request({ contextId, create: settings }),
    text: (contextId, text) => request({ contextId, send_text: { text } }),
    end: (contextId) => [request({ contextId, flush_context: {} }), close(contextId)],
    cancel: (contextId) => [close(contextId)],
    read: ({ result = {}, error }) => (error ? readEnd(error) : readResult(result)),
    classify: ({ how, code }) => (how === 'closed' && code === 1000 ? 'idle' : undefined),
  }
}

function readResult({ contextId: context, status = {}, ...result }: InworldResult): ContextMessage {
  if ((status.code ?? 0) !== 0) return readError(context, status)
  const { audioContent, timestampInfo } = result.audioChunk ?? {}
  const { words, wordStartTimeSeconds, wordEndTimeSeconds } = timestampInfo?.wordAlignment ?? {}
  return {
    context,
    audio: audioContent,
    words: wordsOf(words, wordStartTimeSeconds, wordEndTimeSeconds),
    timesRestart: result.flushCompleted !== undefined,
    done: result.contextClosed !== undefined,
  }
}

/** An error without a context concerns the connection. It stays open unless the key is wrong. */
function readError(context: string | undefined, { code = 0, message }: InworldStatus): ContextMessage {
  const status = statuses[code]
  if (context) return { context, error: { message, status } }
  return { error: { message }, ends: status === 401 || status === 403 ? 'fatal' : undefined }
}

function readEnd({ code = 0, message }: InworldStatus): ContextMessage {
  return { error: { message }, ends: fatalCodes.has(code) ? 'fatal' : 'dropped' }
}
