import type { AudioFrame } from '../audio/index.ts'
import type { SpokenChunk } from '../parts/index.ts'
import type { Stages } from './agent.ts'

/** A text that is there at once, as a stream. */
export async function* once(text: string): AsyncGenerator<string, void, undefined> {
  yield text
}

/** Passes text on, and tells of each piece and of the end. */
export async function* tap(
  text: AsyncIterable<string>,
  listener: { said(piece: string): void; ends(): void },
): AsyncGenerator<string, void, undefined> {
  for await (const piece of text) {
    listener.said(piece)
    yield piece
  }
  listener.ends()
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
