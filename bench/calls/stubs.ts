import { bytesOf, frameOf, muLaw, pcm, sine } from '../../src/audio/index.ts'
import type { Llm, LlmChunk, SpokenChunk, Stt, SttEvents, SttStream, Tts } from '../../src/parts/index.ts'

/** Length of a speech and of one chunk, in milliseconds. Vendors send chunks of about this size. */
export const SPEECH = 5_000
export const CHUNK = 100

/** Takes 16 kHz and mu-law, like most vendors. Ignores the sound and transcribes every utterance as the same word. */
export const stt: Stt = {
  name: 'stt',
  hears: [pcm(16_000), muLaw],
  async open(_context, events: SttEvents): Promise<SttStream> {
    return {
      push() {},
      flush: () => queueMicrotask(() => events.final('hm')),
      configure() {},
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

/** Speaks for five seconds, whatever the text is. Each chunk has its own memory, as with a real voice. */
export const tts: Tts = {
  name: 'tts',
  speaks: [pcm(16_000), muLaw],
  async open(_context, { format }) {
    const bytes = bytesOf(sine(300, { sampleRate: format.sampleRate, duration: CHUNK }), format)
    return {
      async *speak(text): AsyncGenerator<SpokenChunk> {
        for await (const _ of text) {
          for (let at = 0; at < SPEECH; at += CHUNK) yield { frame: frameOf(bytes.slice(), format) }
        }
      },
    }
  },
}
