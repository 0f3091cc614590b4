import { pcm, silence } from '../../audio/index.ts'
import type { PartContext, SpokenChunk, Tts, Voice } from '../../parts/index.ts'
import { SignalStop, iterate } from '../../scope/index.ts'

/** Milliseconds of silence per piece of text: the least that the session counts as sound. */
const FRAME = 1

/** A voice for a caller who reads. It takes the words as they come, and makes hardly any sound. */
export const silentVoice: Tts = {
  name: 'text',
  speaks: [pcm(16_000)],
  open: async (context): Promise<Voice> => ({ speak: (text, signal) => speak(context, text, signal) }),
}

async function* speak(
  { scope }: PartContext,
  text: AsyncIterable<string>,
  signal: AbortSignal,
): AsyncGenerator<SpokenChunk> {
  const stop = new SignalStop(signal, scope)
  const frame = silence(FRAME, 16_000)
  let start = 0
  try {
    for await (const piece of iterate(text, stop)) {
      signal.throwIfAborted()
      yield { frame, words: [{ text: piece, start, end: start + FRAME }] }
      start += FRAME
    }
  } finally {
    stop.release()
  }
}
