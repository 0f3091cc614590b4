import type { AudioFormat } from '../../../audio/index.ts'
import type { EndClass } from '../../../link/index.ts'
import type { TranscribedWord, TranscriptDetails } from '../../../parts/index.ts'
import { meanConfidence } from '../../mean-confidence.ts'
import type { TurnDialect, TurnMessage } from '../../turn-dialect.ts'
import { checkScribe, type AudioMessage, type ScribeMessage, type ScribeWord } from './scribe-messages.ts'

/** Milliseconds of audio per message. */
const CHUNK = 100

/** What the errors of the service mean for the connection. A new one cures all that are not listed. */
const ends: Readonly<Record<string, Exclude<EndClass, 'asked'> | undefined>> = {
  auth_error: 'fatal',
  quota_exceeded: 'fatal',
  unaccepted_terms: 'fatal',
  invalid_request: 'fatal',
  session_time_limit_exceeded: 'expired',
  insufficient_audio_activity: 'expired',
  // There was too little audio to end a turn.
  commit_throttled: undefined,
}

/**
 * Scribe's messages. It commits the text when the caller pauses, or when it is asked to. There is no end message: the
 * last words are committed.
 *
 *   flush ─▶ commit ──▶ committed_transcript
 *   end ───▶ commit ──▶ committed_transcript
 */
export function scribeDialect(
  request: TurnDialect<ScribeMessage>['request'],
  { sampleRate: sample_rate }: AudioFormat,
  hasTimestamps: boolean,
): TurnDialect<ScribeMessage> {
  const encode = (audio_base_64: string, commit: boolean): string =>
    JSON.stringify({
      message_type: 'input_audio_chunk',
      audio_base_64,
      commit,
      sample_rate,
    } satisfies AudioMessage)
  const commit = encode('', true)
  // With timestamps, the same text comes again, with them.
  const committed = hasTimestamps ? 'committed_transcript_with_timestamps' : 'committed_transcript'
  return {
    request,
    check: checkScribe,
    reader: () => (message) => read(message, committed),
    chunk: CHUNK,
    audio: (bytes) => encode(Buffer.from(bytes).toString('base64'), false),
    flush: commit,
    end: commit,
    endsWithTurn: true,
  }
}

function read(message: ScribeMessage, committed: string): TurnMessage {
  const { message_type: type = '', text = '', error } = message
  if (error !== undefined)
    return { type: 'error', message: error, ends: Object.hasOwn(ends, type) ? ends[type] : 'dropped' }
  if (type === 'session_started') return { type: 'ready' }
  if (type === 'partial_transcript' && text.trim() !== '') return { type: 'interim', text: text.trim() }
  if (type === committed) return { type: 'ended', text: text.trim(), details: detailsOf(message) }
  return { type: 'ignored' }
}

function detailsOf({ words, language_code: language }: ScribeMessage): TranscriptDetails {
  const spoken = words?.filter(({ type = 'word' }) => type === 'word').map(wordOf)
  return {
    ...(spoken ? { words: spoken, ...meanConfidence(spoken) } : {}),
    ...(language === undefined ? {} : { language }),
  }
}

function wordOf({ text = '', start = 0, end = start, logprob }: ScribeWord): TranscribedWord {
  const times = { start: start * 1_000, end: end * 1_000 }
  return logprob === undefined ? { text, ...times } : { text, ...times, confidence: Math.exp(logprob) }
}
