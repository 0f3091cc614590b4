import { silence, type SampleRate } from '../../src/audio/index.ts'
import type { PartContext, SpokenChunk, Tts, Voice } from '../../src/parts/index.ts'
import {
  ScriptedTts,
  ttsConformance,
  type Make,
  type ScriptedTtsOptions,
  type TtsSubject,
} from '../../src/testing/index.ts'
import { describeSabotage, ownChecks, type Saboteur } from './sabotage.ts'

type Speak = (voice: Voice, text: AsyncIterable<string>, signal: AbortSignal) => AsyncIterable<SpokenChunk>

/** A voice that does what it should, except for what the saboteur does. */
function sabotaged(
  options: ScriptedTtsOptions,
  speak: Speak = (voice, text, signal) => voice.speak(text, signal),
  sampleRate: SampleRate = 16_000,
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
    return { tts: { name: 'tts', sampleRate, open }, breaks }
  }
}

/** What it yields, changed. */
async function* changed(
  chunks: AsyncIterable<SpokenChunk>,
  change: (chunk: SpokenChunk) => SpokenChunk,
): AsyncGenerator<SpokenChunk> {
  for await (const chunk of chunks) yield change(chunk)
}

/** One that has never heard of scopes. */
const unowned: Tts = {
  name: 'unowned',
  sampleRate: 16_000,
  open: async () => ({
    async *speak(text) {
      for await (const piece of text) yield { frame: silence(20 * piece.length, 16_000) }
    },
  }),
}

const saboteurs: Saboteur<TtsSubject>[] = [
  [
    'another rate than it says',
    sabotaged({}, undefined, 8_000),
    ['speaks a text that comes in pieces, at its rate, and ends'],
  ],
  [
    'words in the wrong place',
    sabotaged({}, (voice, text, signal) =>
      changed(voice.speak(text, signal), ({ frame, words = [] }) => ({
        frame,
        words: words.map((word) => ({ ...word, start: 1_000 - word.start })),
      })),
    ),
    ['tells words, if it does, in order, within the sound, and all of them'],
  ],
  [
    'chatter',
    sabotaged({}, async function* (voice, text, signal) {
      yield* voice.speak(text, signal)
      yield { frame: silence(20, 16_000) }
    }),
    ['says nothing for an empty text, and ends'],
  ],
  [
    'that it can say one thing at a time',
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
      'speaks two texts at once, each whole',
      'one speech can be stopped while another goes on',
      'can be left in the middle, and speaks on when it is asked again',
    ],
  ],
  [
    'that it goes on',
    sabotaged({ ignoresSignal: true }),
    [
      'stops when its signal aborts, with the reason, and gives nothing after it',
      'does not begin when its signal has aborted before',
      'stops also while it waits for text that never comes, and lets go of it',
    ],
  ],
  [
    'a reason of its own',
    sabotaged({}, async function* (voice, text, signal) {
      try {
        yield* voice.speak(text, signal)
      } catch {
        throw new Error('something went wrong')
      }
    }),
    [
      'stops when its signal aborts, with the reason, and gives nothing after it',
      'throws what the text throws',
    ],
  ],
  [
    'errors that nobody hears of',
    sabotaged({}, async function* (voice, text, signal) {
      try {
        yield* voice.speak(text, signal)
      } catch {
        return
      }
    }),
    [
      'throws what the text throws',
      'throws when it cannot speak',
      'is ended by abort() in the middle of a speech',
      'does not speak when its scope has closed',
    ],
  ],
  [
    'that nobody owns it',
    () => ({ tts: unowned }),
    [
      'ends a speech when its scope closes, with an error, and leaves nothing',
      'is ended by abort() in the middle of a speech',
      'does not speak when its scope has closed',
    ],
  ],
]

describeSabotage('TTSs', ownChecks(ttsConformance), saboteurs)
