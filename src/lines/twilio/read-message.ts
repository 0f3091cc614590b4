import type { StreamMessage } from './carrier.ts'
import { asDigit, asFields, asName, asSound, parse, type Fields } from './stream-json.ts'

export type StartMessage = Extract<StreamMessage, { type: 'start' }>

/**
 * Reads a message of a stream; undefined if it makes no sense. Carriers agree on all but how a stream starts. Sequence
 * numbers are not looked at: a WebSocket keeps the order, and what is missing cannot be had again.
 */
export function readMessage(
  json: string,
  readStart: (said: Fields, start: Fields) => StartMessage | undefined,
): StreamMessage | undefined {
  const said = parse(json)
  if (!said) return undefined
  switch (said['event']) {
    case 'start':
      return readStart(said, asFields(said['start']) ?? {})
    case 'media':
      return readMedia(asFields(said['media']) ?? {})
    case 'mark': {
      const name = asName(asFields(said['mark'])?.['name'])
      return name === undefined ? undefined : { type: 'mark', name }
    }
    case 'dtmf': {
      const digit = asDigit(asFields(said['dtmf'])?.['digit'])
      return digit === undefined ? undefined : { type: 'dtmf', digit }
    }
    case 'stop':
      return { type: 'stop' }
    default:
      return typeof said['event'] === 'string' ? { type: 'other' } : undefined
  }
}

/** What we say ourselves is the other track, if somebody has asked for it. */
function readMedia({ track = 'inbound', payload }: Fields): StreamMessage | undefined {
  if (track !== 'inbound') return { type: 'other' }
  const bytes = asSound(payload)
  return bytes && { type: 'sound', bytes }
}
