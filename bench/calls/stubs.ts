import { sine } from '../../src/audio/index.ts'
import type { Llm, LlmChunk, SpokenChunk, Stt, SttEvents, SttStream, Tts } from '../../src/parts/index.ts'

/** Milliseconds that the agent speaks in one go, and of one piece of it: vendors send about so much at a time. */
const SPEECH = 5_000
const PIECE = 100
const tone = sine(300, { sampleRate: 16_000, duration: PIECE })

/** Hears nothing, and has understood the same each time that somebody has spoken. */
export const stt: Stt = {
  name: 'stt',
  sampleRate: 16_000,
  async open(_context, events: SttEvents): Promise<SttStream> {
    return {
      push() {},
      flush: () => queueMicrotask(() => events.final('hm')),
      detach() {},
    }
  },
}

export const llm: Llm = {
  name: 'llm',
  async open() {
    return {
      async *generate(): AsyncGenerator<LlmChunk> {
        yield { type: 'text', text: 'We are open from eight to six, from Monday to Friday.' }
      },
    }
  },
}

/** Speaks for five seconds whatever it is given, each piece in memory of its own as from a real voice. */
export const tts: Tts = {
  name: 'tts',
  sampleRate: 16_000,
  async open() {
    return {
      async *speak(text): AsyncGenerator<SpokenChunk> {
        for await (const _ of text) {
          for (let at = 0; at < SPEECH; at += PIECE)
            yield { frame: { ...tone, samples: tone.samples.slice() } }
        }
      },
    }
  },
}
