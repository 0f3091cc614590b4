import type { TranscribedWord, TranscriptDetails } from '../../parts/index.ts'
import { meanConfidence } from '../mean-confidence.ts'
import type { TurnDialect, TurnMessage } from '../turn-dialect.ts'
import {
  checkFlux,
  type FluxControl,
  type FluxError,
  type FluxMessage,
  type FluxTurnInfo,
  type FluxWord,
} from './flux-messages.ts'

/** Milliseconds of audio per message, as Deepgram recommends. */
const CHUNK = 80

const control = (message: FluxControl): string => JSON.stringify(message)

/** Flux's messages. Its turns are numbered, and it confirms each change of the setup. */
export function fluxDialect(
  request: TurnDialect<FluxMessage>['request'],
  forceEndTurn: boolean,
): TurnDialect<FluxMessage> {
  return {
    request,
    check: checkFlux,
    reader: () => read,
    chunk: CHUNK,
    ...(forceEndTurn ? { flush: control({ type: 'ForceEndTurn' }) } : {}),
    configure: ({ keyTerms }) => control({ type: 'Configure', keyterms: [...keyTerms] }),
    confirmsSetup: true,
    end: control({ type: 'CloseStream' }),
  }
}

function read(message: FluxMessage): TurnMessage {
  switch (message.type) {
    case 'Connected':
      return { type: 'ready' }
    case 'ConfigureSuccess':
    case 'ConfigureFailure':
      return { type: 'configured' }
    case 'TurnInfo':
      return readTurn(message)
    case 'Error':
      return readError(message)
    default:
      return { type: 'ignored' }
  }
}

function readTurn(info: FluxTurnInfo): TurnMessage {
  const { event, turn_index: turn, transcript: text = '' } = info
  switch (event) {
    case 'StartOfTurn':
      return { type: 'started', turn }
    case 'Update':
      return { type: 'interim', turn, text }
    case 'EagerEndOfTurn':
      return { type: 'maybe-ended', turn, text }
    case 'TurnResumed':
      return { type: 'resumed', turn }
    case 'EndOfTurn':
      return { type: 'ended', turn, text, details: detailsOf(info) }
    case undefined:
    default:
      return { type: 'ignored' }
  }
}

/** An error that a client causes repeats itself; all others are the service's. */
function readError({ code = '', description = code }: FluxError): TurnMessage {
  const isOurs = /CLIENT|INVALID|UNPARSABLE|DATA|AUTH/.test(code)
  return { type: 'error', message: description, ends: isOurs ? 'fatal' : 'dropped' }
}

function detailsOf({ words = [], languages: [language] = [] }: FluxTurnInfo): TranscriptDetails {
  return {
    words: words.map(wordOf),
    ...(language === undefined ? {} : { language }),
    ...meanConfidence(words),
  }
}

function wordOf({ word = '', start = 0, end = start, confidence }: FluxWord): TranscribedWord {
  const times = { text: word, start: start * 1_000, end: end * 1_000 }
  return confidence === undefined ? times : { ...times, confidence }
}
