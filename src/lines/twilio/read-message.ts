import type { StreamMessage } from './carrier.ts'
import { asDigit, asFields, asName, asSound, parse, type Fields } from './stream-json.ts'

export type StartMessage = Extract<StreamMessage, { type: 'start' }>

/**
 * Reads a message of a stream. Undefined if it makes no sense. Carriers agree on everything but the start of a stream.
 * Sequence numbers are ignored: a WebSocket keeps the order, and a message that is missing cannot be had again.
 */
export function readMessage(
  json: string,
  readStart: (message: Fields, start: Fields) => StartMessage | undefined,
): StreamMessage | undefined {
  const message = parse(json)
  if (!message) return undefined
  const { event, start, media, mark, dtmf } = message
  switch (event) {
    case 'start':
      return readStart(message, asFields(start) ?? {})
    case 'media':
      return readMedia(asFields(media) ?? {})
    case 'mark': {
      const name = asName(asFields(mark)?.['name'])
      return name === undefined ? undefined : { type: 'mark', name }
    }
    case 'dtmf': {
      const digit = asDigit(asFields(dtmf)?.['digit'])
      return digit === undefined ? undefined : { type: 'dtmf', digit }
    }
    case 'stop':
      return { type: 'stop' }
    default:
      return typeof event === 'string' ? { type: 'other' } : undefined
  }
}

/** Ignores the outbound track, which is our own sound. Carriers send it on request. */
function readMedia({ track = 'inbound', payload }: Fields): StreamMessage | undefined {
  if (track !== 'inbound') return { type: 'other' }
  const bytes = asSound(payload)
  return bytes && { type: 'sound', bytes }
}
