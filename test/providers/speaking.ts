import { durationOf, type AudioFormat } from '../../src/audio/index.ts'
import type { SpokenChunk, SpokenWord, Tts, Voice } from '../../src/parts/index.ts'
import {
  partContext,
  textOf,
  type Manners,
  type TestPartContext,
  type World,
} from '../../src/testing/index.ts'
import type { DialRequest } from '../../src/scope/index.ts'

/** An open voice on a simulated network. */
export interface Speaking {
  readonly context: TestPartContext
  readonly voice: Voice
  /** Speaks a text to its end, or until it fails. */
  readonly speak: (text: AsyncIterable<string> | string, signal?: AbortSignal) => Promise<Spoken>
}

export interface Spoken {
  readonly chunks: SpokenChunk[]
  /** What the audio says. */
  readonly text: string
  readonly words: SpokenWord[]
  readonly error?: unknown
}

/** Opens a voice against a vendor's server. */
export async function openVoice(
  world: World,
  server: { readonly serve: (request: DialRequest) => Manners },
  tts: Tts,
  format: AudioFormat = tts.speaks[0]!,
): Promise<Speaking> {
  world.network.serve = server.serve
  const context = partContext(world)
  const voice = await tts.open(context, { format }).catch(async (error: unknown) => {
    await context.scope.close()
    throw error
  })
  return { context, voice, speak: (text, signal) => take(voice, text, signal) }
}

async function take(
  voice: Voice,
  text: AsyncIterable<string> | string,
  signal = new AbortController().signal,
): Promise<Spoken> {
  const chunks: SpokenChunk[] = []
  const spoken = (): Spoken => ({
    chunks,
    text: textOf(chunks.map(({ frame }) => frame)),
    words: chunks.flatMap(({ words = [] }) => words),
  })
  try {
    for await (const chunk of voice.speak(typeof text === 'string' ? pieces(text) : text, signal))
      chunks.push(chunk)
    return spoken()
  } catch (error) {
    return { ...spoken(), error }
  }
}

/** A text in pieces of one word each, as a language model writes it. */
export async function* pieces(text: string): AsyncGenerator<string> {
  yield* text.split(/(?= )/)
}

/** The duration of the audio, in milliseconds. */
export const lengthOf = (chunks: readonly SpokenChunk[]): number =>
  chunks.reduce((sum, { frame }) => sum + durationOf(frame), 0)
