import { noSttEvents } from '../../src/parts/index.ts'
import { concat, silence } from '../../src/audio/index.ts'
import { LocalStt } from '../../src/providers/local/index.ts'
import { systemClock, systemRandom } from '../../src/scope/index.ts'
import { partContext } from '../../src/testing/index.ts'
import { clip, framesOf } from '../fixtures/speech.ts'

/**
 * The highest doubt at which the recogniser accepts a sentence. It was trained on people, and the demo's voice is
 * synthetic: correct sentences have a doubt of 0.3 to 3.4, and other sentences mostly match nothing.
 */
const MAX_DOUBT = 3.6
/** How long to wait for an utterance, in milliseconds. Only a hang takes this long. */
const PATIENCE = 60_000
/** A sentence added at the end: once it is transcribed, everything before it is as well. */
const END = 'call my mother tomorrow'

/**
 * Transcribes a recording by matching each utterance against `sayings`; `[not understood]` matches none. A voice may
 * pause between two sentences of a saying, so each sentence is matched on its own as well.
 */
export async function transcribe(samples: Int16Array, sayings: readonly string[]): Promise<string[]> {
  const phrases = new Set([...sayings, ...sayings.flatMap(sentencesOf)].map(plain))
  const context = partContext({ clock: systemClock, random: systemRandom })
  const stt = new LocalStt({ phrases: [...phrases, END], maxDoubt: MAX_DOUBT, timeout: PATIENCE })
  const found: string[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      const final = (text: string): void => {
        if (text === END) resolve()
        else found.push(text)
      }
      const events = { ...noSttEvents, final, failed: reject }
      stt
        .open(context, events)
        .then((stream) => {
          const pause = silence(1_000, 16_000)
          const end = { samples: clip(END).samples, sampleRate: 16_000 } as const
          const all = concat([pause, { samples, sampleRate: 16_000 }, pause, end, pause], 16_000)
          for (const frame of framesOf(all.samples)) stream.push(frame)
        })
        .catch(reject)
    })
  } finally {
    await context.scope.close()
  }
  return found
}

const sentencesOf = (text: string): string[] => text.match(/[^.!?]+[.!?]/g)?.map((each) => each.trim()) ?? []

/** The words alone, in lower case and without punctuation. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '')
    .trim()
