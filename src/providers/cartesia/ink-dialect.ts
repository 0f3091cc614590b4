import type { TurnDialect, TurnMessage } from '../turn-dialect.ts'
import { checkInk, type InkClose, type InkMessage } from './ink-messages.ts'

/** Milliseconds of audio per message, as Cartesia recommends. */
const CHUNK = 100

/** Ink 2's messages. It cannot be asked to end a turn, and takes key terms only when it is dialled. */
export function inkDialect(request: TurnDialect<InkMessage>['request']): TurnDialect<InkMessage> {
  return {
    request,
    check: checkInk,
    reader: () => read,
    chunk: CHUNK,
    end: JSON.stringify({ type: 'close' } satisfies InkClose),
  }
}

function read(message: InkMessage): TurnMessage {
  switch (message.type) {
    case 'connected':
      return { type: 'ready' }
    case 'turn.start':
      return { type: 'started' }
    case 'turn.update':
      return { type: 'interim', text: textOf(message) }
    case 'turn.eager_end':
      return { type: 'maybe-ended', text: textOf(message) }
    case 'turn.resume':
      return { type: 'resumed' }
    case 'turn.end':
      return { type: 'ended', text: textOf(message) }
    case 'error':
      return { type: 'error', message: message.message ?? message.title }
    default:
      return { type: 'ignored' }
  }
}

const textOf = ({ transcript = '' }: { readonly transcript?: string | undefined }): string =>
  transcript.trim()
