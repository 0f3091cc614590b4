import { Resampler, type AudioFrame } from '../../src/audio/index.ts'
import type { Sample } from '../bench.ts'
import { openMoonshine } from '../ears/moonshine-model.ts'
import { inSilence } from '../local/surroundings.ts'
import { median } from '../median.ts'
import { cpuTime } from '../sampling.ts'
import { plain, wordErrors } from '../word-errors.ts'

const sentences = [
  'Good morning, this is the clinic.',
  'How can I help you?',
  'Which day would suit you best?',
  'The doctor is free on Thursday at nine.',
  'Please tell me your name and your date of birth.',
  'I have booked your appointment for you.',
  'Would you like to speak to somebody else?',
  'We are open from Monday to Friday.',
  'I am sorry, I did not understand that.',
  'Thank you for your call, and goodbye.',
]

/** What a voice makes of a sentence, and how long it took until its first sound, in milliseconds. */
export interface Spoken {
  readonly sound: AudioFrame
  readonly first: number
}

/** The figures of a voice that is warm. `memory` is what it takes. */
export async function clarity(memory: number, speak: (sentence: string) => Promise<Spoken>): Promise<Sample> {
  const spoken: Spoken[] = []
  const took = await cpuTime(async () => {
    for (const sentence of sentences) spoken.push(await speak(sentence))
  })
  const seconds = spoken.reduce((sum, { sound }) => sum + sound.samples.length / sound.sampleRate, 0)
  const figures = { memory, first: median(spoken.map(({ first }) => first)), speech: took / 1_000 / seconds }
  const transcribe = await openMoonshine()
  if (!transcribe) return figures
  let [wrong, said] = [0, 0]
  for (const [index, { sound }] of spoken.entries()) {
    const { samples, sampleRate } = sound
    const resampler = new Resampler({ from: sampleRate, to: 16_000 })
    const heard = inSilence(sampleRate === 16_000 ? samples : Int16Array.from(resampler.push(samples)))
    const words = plain(sentences[index]!).split(' ')
    wrong += wordErrors(words, plain(await transcribe(heard)).split(' '))
    said += words.length
  }
  return { ...figures, words: (100 * wrong) / said }
}
