import type { AudioFrame } from '../../audio/index.ts'
import type { SpokenChunk } from '../../parts/index.ts'
import type { Stages } from '../answering/agent.ts'

/** Turns a text into a stream of one piece. */
export async function* once(text: string): AsyncGenerator<string, void, undefined> {
  yield text
}

/** Passes sound through an agent's sound stage. Words keep their times, because the stage must not change durations. */
export async function* staged(
  chunks: AsyncIterable<SpokenChunk>,
  stage: NonNullable<Stages['sound']>,
): AsyncGenerator<SpokenChunk, void, undefined> {
  let words: NonNullable<SpokenChunk['words']>[number][] = []
  let by: Pick<SpokenChunk, 'by'> = {}
  const frames = async function* (): AsyncGenerator<AudioFrame, void, undefined> {
    for await (const chunk of chunks) {
      words.push(...(chunk.words ?? []))
      if (chunk.by !== undefined) by = { by: chunk.by }
      yield chunk.frame
    }
  }
  for await (const frame of stage(frames())) {
    yield { frame, words, ...by }
    words = []
  }
}
