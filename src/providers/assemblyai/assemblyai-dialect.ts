import type { EndClass } from '../../link/index.ts'
import type { TranscribedWord, TranscriptDetails } from '../../parts/index.ts'
import { meanConfidence } from '../mean-confidence.ts'
import type { TurnDialect, TurnMessage } from '../turn-dialect.ts'
import {
  checkAssemblyAI,
  type AssemblyAIMessage,
  type Control,
  type Turn,
  type Word,
} from './assemblyai-messages.ts'

/** Milliseconds of audio per message. AssemblyAI allows 50 to 1,000. */
const CHUNK = 100
/** AssemblyAI ends a session after three hours. */
const MAX_AGE = 175 * 60_000

/** Close codes for requests that would fail again: bad key, no funds, free tier, bad parameters, bad audio. */
const fatalCodes = new Set([4000, 4001, 4002, 4003, 4101, 3006, 3007])
const EXPIRED = 3008

const control = (message: Control): string => JSON.stringify(message)

/**
 * AssemblyAI's messages. With `formats`, an end of turn that is not formatted yet does not count: the formatted one
 * follows.
 */
export function assemblyAIDialect(
  request: TurnDialect<AssemblyAIMessage>['request'],
  formats: boolean,
): TurnDialect<AssemblyAIMessage> {
  return {
    request,
    check: checkAssemblyAI,
    reader: () => (message) => read(message, formats),
    chunk: CHUNK,
    flush: control({ type: 'ForceEndpoint' }),
    configure: ({ keyTerms }) => control({ type: 'UpdateConfiguration', keyterms_prompt: [...keyTerms] }),
    end: control({ type: 'Terminate' }),
    classify: ({ code }) => classOf(code),
    rollover: { order: 'new-first', maxAge: MAX_AGE },
  }
}

function read(message: AssemblyAIMessage, formats: boolean): TurnMessage {
  switch (message.type) {
    case 'Begin':
      return { type: 'ready' }
    case 'SpeechStarted':
      return { type: 'started' }
    case 'Turn':
      return readTurn(message, formats)
    case 'Termination':
      return { type: 'terminated' }
    case 'Error':
      return { type: 'error', message: message.error, ends: classOf(message.error_code) ?? 'dropped' }
    default:
      return { type: 'ignored' }
  }
}

function readTurn(message: Turn, formats: boolean): TurnMessage {
  const { turn_order: turn, transcript: text = '', utterance = '' } = message
  const isComplete = !formats || message.turn_is_formatted === true
  if (message.end_of_turn && isComplete) return { type: 'ended', turn, text, details: detailsOf(message) }
  return { type: utterance === '' ? 'interim' : 'maybe-ended', turn, text }
}

function classOf(code = 0): Exclude<EndClass, 'asked'> | undefined {
  if (code === EXPIRED) return 'expired'
  return fatalCodes.has(code) ? 'fatal' : undefined
}

function detailsOf({ words = [], language_code: language, speaker_label: speaker }: Turn): TranscriptDetails {
  return {
    words: words.map(wordOf),
    ...(language === undefined ? {} : { language }),
    ...(speaker === undefined ? {} : { speaker }),
    ...meanConfidence(words),
  }
}

function wordOf({ text = '', start = 0, end = start, confidence }: Word): TranscribedWord {
  return confidence === undefined ? { text, start, end } : { text, start, end, confidence }
}
