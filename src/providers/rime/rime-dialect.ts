import type { Protocol } from '../../link/index.ts'
import { sentences, type SpokenWord } from '../../parts/index.ts'
import type { ContextDialect, ContextMessage } from '../context-dialect.ts'
import { withSpace } from '../spoken-words.ts'
import { checkRime, type RimeMessage, type RimeRequest, type RimeStart, type Span } from './rime-messages.ts'

/** The version of the protocol. */
const VERSION = 1

/** The HTTP status that corresponds to a kind of error. */
const statuses: Readonly<Record<string, number>> = {
  invalid_input: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  resource_exhausted: 429,
  internal: 500,
  unimplemented: 501,
  unavailable: 503,
  timeout: 504,
}

const request = (message: RimeRequest): string => JSON.stringify(message)

/**
 * Rime's messages, version 1. Text is sent in sentences, each of which the service speaks as soon as it has it. Times of
 * words arrive after the audio, with `done`.
 *
 *   start ──▶ start, with the settings
 *   end ────▶ end     ──▶ the rest, done
 *   cancel ─▶ cancel  ──▶ cancelled
 */
export function rimeDialect(
  dial: Protocol['request'],
  settings: RimeStart,
  stallTimeout: number,
): ContextDialect<RimeMessage> {
  return {
    request: dial,
    stallTimeout,
    announcesReady: true,
    check: checkRime,
    pieces: (text) => sentences(text),
    start: (contextId) => request({ contextId, start: settings }),
    text: (contextId, text) => request({ contextId, text }),
    end: (contextId) => [request({ contextId, end: {} })],
    cancel: (contextId) => [request({ contextId, cancel: {} })],
    read,
    classify: ({ how, code }) => (how === 'closed' && code === 1000 ? 'idle' : undefined),
  }
}

function read({ contextId: context, ready, audio, done, cancelled, error }: RimeMessage): ContextMessage {
  if (ready) return readReady(ready.protocol)
  if (error) return readError(context, error)
  // A speech that was cancelled here is not waited for: this one was cancelled by the service.
  if (cancelled) return { context, error: { message: 'the service cancelled the speech', status: 503 } }
  return { context, audio, words: done?.timestamps?.spans?.flatMap(wordOf), done: done !== undefined }
}

function readReady(version: number | undefined): ContextMessage {
  if (version === VERSION) return { ready: true }
  return { error: { message: `the service speaks version ${version} of its protocol` }, ends: 'fatal' }
}

/** An error without a context concerns the connection. It stays open unless the key is wrong. */
function readError(context: string | undefined, { kind = '', message = kind }: RimeError): ContextMessage {
  const status = statuses[kind]
  if (context) return { context, error: { message, status } }
  return { error: { message }, ends: status === 401 || status === 403 ? 'fatal' : undefined }
}

type RimeError = NonNullable<RimeMessage['error']>

function wordOf({ text = '', start = '', end = '' }: Span): SpokenWord[] {
  const times = { start: millisecondsOf(start), end: millisecondsOf(end) }
  return Number.isFinite(times.start + times.end) ? [{ text: withSpace(text), ...times }] : []
}

/** `1.250s` is 1,250 ms; NaN for anything else. */
const millisecondsOf = (duration: string): number =>
  duration.endsWith('s') ? Math.round(Number(duration.slice(0, -1)) * 1_000) : Number.NaN
