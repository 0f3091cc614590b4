import { concat, silence } from '../../src/audio/index.ts'
import { LocalStt } from '../../src/providers/local/index.ts'
import { systemClock, systemRandom } from '../../src/scope/index.ts'
import { partContext } from '../../src/testing/index.ts'
import { clip, framesOf } from '../fixtures/speech.ts'

/**
 * How much doubt there may be. The recogniser learned from people, and the voice of the demo is a synthetic one: it finds
 * its sentences with a doubt from 0.3 to 3.4, if it finds them. For other sentences it mostly finds nothing at all.
 */
const MAX_DOUBT = 3.6
/** Comes last, and says that everything before it has been transcribed. */
const END = 'call my mother tomorrow'

/**
 * What is said in a sound, stretch by stretch, out of what could be; `[not understood]` is none of it. Whether there is
 * a pause between two sentences is for the voice to decide: each can be alone.
 */
export async function transcribe(samples: Int16Array, sayings: readonly string[]): Promise<string[]> {
  const phrases = new Set([...sayings, ...sayings.flatMap(sentencesOf)].map(plain))
  const context = partContext({ clock: systemClock, random: systemRandom })
  const stt = new LocalStt({ phrases: [...phrases, END], maxDoubt: MAX_DOUBT })
  const found: string[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      const final = (text: string): void => {
        if (text === END) resolve()
        else found.push(text)
      }
      const events = { interim: () => {}, final, endOfTurn: () => {}, failed: reject }
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

/** Words only, as they are heard. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '')
    .trim()
