import { LimitError } from '../../scope/index.ts'
import { limits } from './limits.ts'

/** One event of a stream (text/event-stream). `id` and `retry` stay as the last event that had them set them. */
export interface StreamEvent {
  readonly data: string
  readonly id: string | undefined
  /** Milliseconds the server wants us to wait before we ask again. */
  readonly retry: number | undefined
}

/** The events of a body, as they come. An event without data is told as well: it may bring an id. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  let data: string[] = []
  let size = 0
  let id: string | undefined
  let retry: number | undefined
  for await (const line of linesOf(body)) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (line === '') {
      yield { data: data.join('\n'), id, retry }
      data = []
      size = 0
    } else if (field === 'data') {
      data.push(value)
      size += value.length
      if (size > limits.message) throw tooLong()
    } else if (field === 'id') id = value
    else if (field === 'retry' && /^\d+$/.test(value)) retry = Number(value)
  }
}

/** Lines that end with LF, CR or both. What comes after the last end is no line. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  let afterReturn = false
  for await (const chunk of body) {
    let text = decoder.decode(chunk, { stream: true })
    // The other half of an end that two chunks share.
    if (afterReturn && text.startsWith('\n')) text = text.slice(1)
    if (text !== '') afterReturn = text.endsWith('\r')
    const [first = '', ...others] = text.split(/\r\n|\n|\r/)
    // A long line comes in many chunks: they are put together here, and looked through but once.
    rest += first
    for (const next of others) {
      yield rest
      rest = next
    }
    if (rest.length > limits.message) throw tooLong()
  }
}

function tooLong(): LimitError {
  return new LimitError('message', limits.message, 'a message of a server is too long')
}
