import { iterate, SignalStop } from '../scope/index.ts'
import type { Attempt } from './attempt.ts'
import type { FallbackOptions } from './fallback-options.ts'
import { FallbackStream } from './fallback-stream.ts'
import type { PartContext } from './part.ts'
import { Replay } from './replay.ts'
import { resampledTts } from './resampled.ts'
import { nameOf } from './rota.ts'
import type { SpokenChunk, Tts, Voice } from './tts.ts'

/**
 * Speaks with the first voice that works. The next one speaks when a voice cannot be opened, fails, or gives no sound in
 * time although it has text; it gets the text from its beginning. Once something was heard, an error is an error: another voice in the middle
 * of a sentence is none. Voices of other rates are resampled to that of the first.
 */
export function fallbackTts(voices: readonly Tts[], options: FallbackOptions = {}): Tts {
  const name = nameOf(voices, options)
  const { sampleRate } = voices[0]!
  const models = voices.map((voice) => resampledTts(voice, sampleRate))
  return {
    name,
    sampleRate,
    async open(context) {
      const stream = new FallbackStream<Voice, SpokenChunk>(
        name,
        models,
        context,
        options,
        (voice, { signal }) => voice.speak(just('Ok.'), signal),
      )
      await stream.open()
      return { speak: (text, signal) => speak(stream, context, text, signal) }
    },
  }
}

async function* speak(
  stream: FallbackStream<Voice, SpokenChunk>,
  { scope }: PartContext,
  text: AsyncIterable<string>,
  signal: AbortSignal,
): AsyncGenerator<SpokenChunk> {
  const stop = new SignalStop(signal, scope)
  const replay = new Replay(iterate(text, stop))
  try {
    yield* stream.ask(
      signal,
      (voice, attempt) => voice.speak(patiently(replay.read(), attempt), attempt.signal),
      () => replay.failed,
    )
  } finally {
    replay.close()
    stop.release()
  }
}

/** The time in which a voice waits for text is not its own. */
async function* patiently(text: AsyncIterable<string>, attempt: Attempt): AsyncGenerator<string> {
  attempt.pause()
  for await (const piece of text) {
    attempt.resume()
    yield piece
    attempt.pause()
  }
  attempt.resume()
}

async function* just(text: string): AsyncGenerator<string> {
  yield text
}
