import { LimitError, SignalStop, iterate } from '../../scope/index.ts'
import type { SessionContext } from '../context.ts'
import { limits } from '../limits.ts'

/** Collects a text that arrives in pieces. */
export async function wholeText(
  text: AsyncIterable<string>,
  signal: AbortSignal,
  scope: SessionContext['scope'],
): Promise<string> {
  let words = ''
  const stop = new SignalStop(signal, scope)
  try {
    for await (const piece of iterate(text, stop, { name: 'words to say' })) {
      words += piece
      if (words.length > limits.speechText)
        throw new LimitError('speechText', limits.speechText, 'a speech has too many characters')
    }
    return words
  } finally {
    stop.release()
  }
}
