import { pcm, silence } from '../../../src/audio/index.ts'
import type { Llm, LlmChunk, SpokenChunk, Tts } from '../../../src/parts/index.ts'
import { ANSWER, FRAMES, RATE, type CostSubject } from './cost-subject.ts'
import { startSession } from './endwell-session.ts'

const frame = silence(20, RATE)

class QuickLlm implements Llm {
  readonly name = 'llm'
  async open() {
    return {
      async *generate(): AsyncGenerator<LlmChunk> {
        yield { type: 'text', text: ANSWER }
      },
    }
  }
}

class QuickTts implements Tts {
  readonly name = 'tts'
  readonly speaks = [pcm(RATE)]
  async open() {
    return {
      async *speak(text: AsyncIterable<string>): AsyncGenerator<SpokenChunk> {
        for await (const _ of text) for (let n = 0; n < FRAMES; n++) yield { frame }
      },
    }
  }
}

export const subject: CostSubject = {
  imports: [new URL('../../../src/index.js', import.meta.url).href],
  start: () => startSession({ llm: new QuickLlm(), tts: new QuickTts() }),
}
