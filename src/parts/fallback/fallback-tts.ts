import { iterate, SignalStop, checkOptions } from '../../scope/index.ts'
import type { Attempt } from '../attempt.ts'
import { fallbackNames, type Fallback, type FallbackOptions } from './fallback-options.ts'
import { FallbackStream } from './fallback-stream.ts'
import type { PartContext } from '../part.ts'
import { Replay } from './replay.ts'
import { resampledTts } from '../resampled.ts'
import { nameOf } from './fallback-models.ts'
import { VendorHealth } from './vendor-health.ts'
import type { SpokenChunk, Tts, Voice } from '../tts.ts'

/**
 * Speaks with the first voice that works. If a voice cannot be opened, fails, or has text but yields no audio in time,
 * the next one speaks the text from the beginning. After the first audio an error is thrown, because the voice must not
 * change in the middle of a speech. All voices are converted to a format of the first. A voice that failed is asked last for
 * a while, in all calls.
 */
export function fallbackTts(voices: readonly Tts[], options: FallbackOptions = {}): Tts & Fallback<Tts> {
  checkOptions('fallbackTts', options, fallbackNames)
  const name = nameOf(voices, options)
  const health = new VendorHealth(options)
  return {
    name,
    members: voices,
    speaks: voices[0]!.speaks,
    async open(context, { format }) {
      const models = voices.map((each) => {
        const voice = resampledTts(each, format)
        return { name: voice.name, open: (own: PartContext) => voice.open(own, { format }) }
      })
      const stream = new FallbackStream<Voice, SpokenChunk>(
        name,
        models,
        health,
        context,
        options,
        (chunk, by, isFirst) => (isFirst ? { by, ...chunk } : chunk),
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
    yield* stream.request(
      signal,
      (voice, attempt) => voice.speak(untimed(replay.read(), attempt), attempt.signal),
      () => replay.failed,
    )
  } finally {
    replay.close()
    stop.release()
  }
}

/** Pauses the timeout of the attempt while the voice waits for text. */
async function* untimed(text: AsyncIterable<string>, attempt: Attempt): AsyncGenerator<string> {
  attempt.pause()
  for await (const piece of text) {
    attempt.resume()
    yield piece
    attempt.pause()
  }
  attempt.resume()
}
