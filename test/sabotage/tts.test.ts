import { pcm, silence } from '../../src/audio/index.ts'
import type { PartContext, SpokenChunk, Tts, Voice } from '../../src/parts/index.ts'
import {
  ScriptedTts,
  ttsConformance,
  type Make,
  type ScriptedTtsOptions,
  type TtsSubject,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Defect } from './sabotage.ts'

type Speak = (voice: Voice, text: AsyncIterable<string>, signal: AbortSignal) => AsyncIterable<SpokenChunk>

/** A voice that is correct except for one defect. */
function sabotaged(
  options: ScriptedTtsOptions,
  speak: Speak = (voice, text, signal) => voice.speak(text, signal),
  speaks = [pcm(16_000)],
): Make<TtsSubject> {
  return () => {
    const own: ScriptedTtsOptions = { ...options }
    const inner = new ScriptedTts(own)
    const open = async (context: PartContext): Promise<Voice> => {
      const voice = await inner.open(context)
      return { speak: (text, signal) => speak(voice, text, signal) }
    }
    const breaks = (): void => {
      own.failAfter = 0
    }
    return { tts: { name: 'tts', speaks, open }, breaks }
  }
}

/** The chunks, each changed by a function. */
async function* changed(
  chunks: AsyncIterable<SpokenChunk>,
  change: (chunk: SpokenChunk) => SpokenChunk,
): AsyncGenerator<SpokenChunk> {
  for await (const chunk of chunks) yield change(chunk)
}

/** A TTS that ignores its scope. */
const scopeless: Tts = {
  name: 'scopeless',
  speaks: [pcm(16_000)],
  open: async () => ({
    async *speak(text) {
      for await (const piece of text) yield { frame: silence(20 * piece.length, 16_000) }
    },
  }),
}

const defects: Defect<TtsSubject>[] = [
  [
    'a wrong sample rate',
    sabotaged({}, undefined, [pcm(8_000)]),
    ['speaks a text that arrives in pieces, at its sample rate, and ends'],
  ],
  [
    'a voice that makes only one of its formats',
    sabotaged({}, undefined, [pcm(16_000), pcm(24_000)]),
    ['speaks in every format it offers, for about as long'],
  ],
  [
    'words at the wrong time',
    sabotaged({}, (voice, text, signal) =>
      changed(voice.speak(text, signal), ({ frame, words = [] }) => ({
        frame,
        words: words.map((word) => ({ ...word, start: 1_000 - word.start })),
      })),
    ),
    ['yields all words, in order and within the audio, if it yields words'],
  ],
  [
    'audio after the end of the text',
    sabotaged({}, async function* (voice, text, signal) {
      yield* voice.speak(text, signal)
      yield { frame: silence(20, 16_000) }
    }),
    ['yields no audio for an empty text, and ends'],
  ],
  [
    'a TTS that speaks one text at a time',
    (() => {
      const busy = new Set<Voice>()
      return sabotaged({}, async function* (voice, text, signal) {
        if (busy.has(voice)) throw new Error('busy')
        busy.add(voice)
        yield* voice.speak(text, signal)
        busy.delete(voice)
      })
    })(),
    [
      'speaks two texts at the same time, each completely',
      'can stop one speech while another continues',
      'speaks again after a speech was left in the middle',
    ],
  ],
  [
    'a TTS that ignores its signal',
    sabotaged({ ignoresSignal: true }),
    [
      'throws the reason when its signal aborts, and yields nothing afterwards',
      'does not start if its signal has already aborted',
      'stops while it waits for text that never arrives, and releases the text',
    ],
  ],
  [
    'errors that are replaced by another',
    sabotaged({}, async function* (voice, text, signal) {
      try {
        yield* voice.speak(text, signal)
      } catch {
        throw new Error('something went wrong')
      }
    }),
    [
      'throws the reason when its signal aborts, and yields nothing afterwards',
      'throws the error that the text throws',
    ],
  ],
  [
    'swallowed errors',
    sabotaged({}, async function* (voice, text, signal) {
      try {
        yield* voice.speak(text, signal)
      } catch {
        return
      }
    }),
    [
      'throws the error that the text throws',
      'throws when it cannot speak',
      'ends synchronously on abort() in the middle of a speech',
      'does not speak after its scope has closed',
    ],
  ],
  [
    'a TTS that ignores its scope',
    () => ({ tts: scopeless }),
    [
      'ends a speech with an error when its scope closes, and leaves nothing behind',
      'ends synchronously on abort() in the middle of a speech',
      'does not speak after its scope has closed',
    ],
  ],
]

describeSabotage('TTSs', ownChecks(ttsConformance), defects)
