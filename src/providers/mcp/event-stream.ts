import { LimitError } from '../../scope/index.ts'
import { limits } from './limits.ts'

/** One server-sent event. `id` and `retry` keep their values until a later event changes them. */
export interface StreamEvent {
  readonly data: string
  readonly id: string | undefined
  /** Milliseconds to wait before a reconnect. */
  readonly retry: number | undefined
}

/** The events of a response body. Yields events without data, too, since they may carry an id. */
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

/** Lines that end with LF, CR or CRLF. An unterminated last line is dropped. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  let afterReturn = false
  for await (const chunk of body) {
    let text = decoder.decode(chunk, { stream: true })
    // The second half of a CRLF that was split between two chunks.
    if (afterReturn && text.startsWith('\n')) text = text.slice(1)
    if (text !== '') afterReturn = text.endsWith('\r')
    const [first = '', ...others] = text.split(/\r\n|\n|\r/)
    // Chunks of a long line are only appended, so that each is searched for line ends once.
    rest += first
    for (const next of others) {
      yield rest
      rest = next
    }
    if (rest.length > limits.message) throw tooLong()
  }
}

function tooLong(): LimitError {
  return new LimitError('message', limits.message, 'a message from an MCP server is too long')
}
