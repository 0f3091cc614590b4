import { pcm, silence } from '../../src/audio/index.ts'
import type {
  Line,
  LineConnection,
  LineEvents,
  Llm,
  LlmChunk,
  SpokenChunk,
  Tts,
} from '../../src/parts/index.ts'

const frame = silence(20, 16_000)

/** A line that plays everything instantly, with callbacks for frames and clears. */
export class QuickLine implements Line {
  readonly name = 'line'
  readonly hears = pcm(16_000)
  readonly speaks = pcm(16_000)
  onPlay: () => void = () => {}
  onClear: () => void = () => {}
  /** Whether it confirms playout at once. If not, the speech stays audible and can be interrupted. */
  confirms = true

  async open({ scope }: Parameters<Line['open']>[0], events: LineEvents): Promise<LineConnection> {
    const connection = {
      play: () => this.onPlay(),
      mark: (id: number) => {
        if (this.confirms) queueMicrotask(() => events.marked(id))
      },
      clear: () => this.onClear(),
      close() {},
      abort() {},
    }
    return scope.own('line', connection)
  }
}

/** Answers with one word, or with one tool call. */
export class QuickLlm implements Llm {
  readonly name = 'llm'
  readonly #chunk: LlmChunk

  constructor(chunk: LlmChunk = { type: 'text', text: 'Yes.' }) {
    this.#chunk = chunk
  }

  async open() {
    const chunk = this.#chunk
    return {
      async *generate(): AsyncGenerator<LlmChunk> {
        yield chunk
      },
    }
  }
}

/** Speaks one frame per piece of text. */
export class QuickTts implements Tts {
  readonly name = 'tts'
  readonly speaks = [pcm(16_000)]

  async open() {
    return {
      async *speak(text: AsyncIterable<string>): AsyncGenerator<SpokenChunk> {
        for await (const _ of text) yield { frame }
      },
    }
  }
}
