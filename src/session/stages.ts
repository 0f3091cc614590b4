import type { AudioFrame } from '../audio/index.ts'
import type { SpokenChunk } from '../parts/index.ts'
import type { Stages } from './agent.ts'

/** A text that is there at once, as a stream. */
export async function* once(text: string): AsyncGenerator<string, void, undefined> {
  yield text
}

/** Passes text on and tells of each piece. */
export async function* tap(
  text: AsyncIterable<string>,
  seen: (piece: string) => void,
): AsyncGenerator<string, void, undefined> {
  for await (const piece of text) {
    seen(piece)
    yield piece
  }
}

/** Sound through an agent's own stage. Words keep their times: the stage must not change how long anything lasts. */
export async function* staged(
  chunks: AsyncIterable<SpokenChunk>,
  stage: NonNullable<Stages['sound']>,
): AsyncGenerator<SpokenChunk, void, undefined> {
  let words: NonNullable<SpokenChunk['words']>[number][] = []
  const frames = async function* (): AsyncGenerator<AudioFrame, void, undefined> {
    for await (const chunk of chunks) {
      words.push(...(chunk.words ?? []))
      yield chunk.frame
    }
  }
  for await (const frame of stage(frames())) {
    yield { frame, words }
    words = []
  }
}
